"""The actions about what is kept: sessions, artifacts, run settings, the agent's code."""

from adk_tui.core.commands import (
    Configure,
    NewSession,
    OpenSession,
    Reload,
    RenameSession,
    Restart,
    RunSettings,
)
from adk_tui.core.sanitize import line
from adk_tui.core.state_check import explain, refusals
from adk_tui.core.typed import state_of
from adk_tui.tui.doing import Doing


class Keeping(Doing):
    """One method for each of these actions."""

    def sessions(self, _: str) -> None:
        """The list of sessions."""
        from adk_tui.tui.screens.sessions import SessionsScreen

        self._app.push_screen(SessionsScreen(self.view))

    def new(self, argument: str) -> None:
        """A new session, with the given state."""
        try:
            state = state_of(argument)
        except ValueError as error:
            self._app.tell(f"No session was made. {error}", warning=True)
            return
        if problems := refusals(state):
            self._app.tell(f"No session was made. {explain(problems)}", warning=True)
            return
        self._app.submit(NewSession(state))

    def open(self, argument: str) -> None:
        """The session with this id; without one, the list."""
        if not argument:
            self.sessions("")
            return
        known = self.view.sessions
        found = [s for s in known.sessions if s.id.startswith(argument)] if known else []
        exact = [s for s in found if s.id == argument] or found
        if len(exact) == 1:
            self._app.submit(OpenSession(exact[0].id, exact[0].user))
        elif exact:
            names = ", ".join(line(s.id, 60) for s in exact[:4])
            self._app.tell(f"{len(exact)} sessions begin like that: {names}.", warning=True)
        else:
            self._app.submit(OpenSession(argument))

    def rename(self, argument: str) -> None:
        """Give the open session a title; without one, ask for it."""
        session = self.view.session
        if session is None:
            return
        if argument:
            self._app.submit(RenameSession(session.id, session.user, argument))
            return
        from adk_tui.tui.screens.asking import Ask

        def answered(title: str | None) -> None:
            if title is not None:
                self._app.submit(RenameSession(session.id, session.user, title))

        hint = "Enter saves   an empty title brings back the first message   Esc closes"
        known = line(session.title, 200)
        self._app.push_screen(Ask("Title of this session", known, hint=hint), answered)

    def artifacts(self, _: str) -> None:
        """The files of the session."""
        from adk_tui.tui.screens.artifacts import ArtifactsScreen

        self._app.push_screen(ArtifactsScreen(self.view))

    def settings(self, _: str) -> None:
        """How the next turns run."""
        from adk_tui.tui.screens.settings import SettingsScreen

        now = self.view.settings.run if self.view.settings else RunSettings()

        def saved(settings: RunSettings | None) -> None:
            if settings is not None and settings != now:
                self._app.submit(Configure(settings))

        self._app.push_screen(SettingsScreen(now), saved)

    def reload(self, _: str) -> None:
        """Load the code again; after a death, start the engine again."""
        dead = self.view.status.phase == "dead"
        self._app.submit(Restart() if dead else Reload())
