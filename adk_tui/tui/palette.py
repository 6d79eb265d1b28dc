"""Every action in Textual's command palette."""

from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider

from adk_tui.tui.actions import ACTIONS, Action, key_label, usage
from adk_tui.tui.messages import Act


def _offered(action: Action) -> bool:
    return action.where in ("everywhere", "lists", "events") and action.name not in (
        "palette",
        "interrupt",
    )


class ActionProvider(Provider):
    """Reads the registry; the actions of a single widget stay with its keys."""

    @staticmethod
    def _title(action: Action) -> str:
        keys = key_label(action.keys[0]) if action.keys else ""
        return "   ".join(t for t in (action.title, keys, usage(action) * bool(action.slash)) if t)

    def _run(self, action: Action) -> None:
        self.app.post_message(Act(action.name))

    async def discover(self) -> Hits:
        """All of them, before anything is typed."""
        for action in ACTIONS:
            if _offered(action):
                yield DiscoveryHit(
                    self._title(action), partial(self._run, action), action.title, action.help
                )

    async def search(self, query: str) -> Hits:
        """Those whose name, command or help matches."""
        matcher = self.matcher(query)
        for action in ACTIONS:
            if not _offered(action):
                continue
            title = self._title(action)
            score = max(matcher.match(title), matcher.match(action.help) * 0.6)
            if score > 0:
                yield Hit(
                    score,
                    matcher.highlight(title),
                    partial(self._run, action),
                    action.title,
                    action.help,
                )
