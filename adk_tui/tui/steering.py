"""The actions that change where a conversation goes: transfer, rewind, edit, fork, state, undo."""

from adk_tui.core.chat_items import UserTurn
from adk_tui.core.commands import EditState, Fork, Rewind, Transfer
from adk_tui.core.records import EventRecord
from adk_tui.core.routing import find_agent, transfer_targets
from adk_tui.core.sanitize import line
from adk_tui.core.state_check import explain, refusals
from adk_tui.core.typed import value_of
from adk_tui.tui.actions import Action
from adk_tui.tui.doing import Doing

EDIT_STATE = Action("edit_state", "Edit the state", "", needs="edit_state")


class Steering(Doing):
    """One method for each of these actions."""

    # Transfer

    def transfer(self, argument: str) -> None:
        """Hand the conversation over: to the named agent, or to a chosen one."""
        if argument:
            self._transfer_to(argument)
            return
        from adk_tui.tui.screens.transfer import TransferScreen

        self._app.push_screen(TransferScreen(self.view))

    def _transfer_to(self, agent: str) -> None:
        app, ready = self._app, self.view.ready
        if ready is None:
            return
        targets = transfer_targets(ready.root, self.view.log.history())
        target = next((t for t in targets if t.agent == agent), None)
        if target is None or find_agent(ready.root, agent) is None:
            app.tell(f"There is no agent {line(agent, 60)}. F6 lists them.", warning=True)
        elif target.active:
            app.tell(f"{line(agent, 60)} answers next already.")
        elif not target.reachable:
            app.tell(
                f"{line(agent, 60)} cannot be reached: {line(target.reason)}"
                " F6, then o gives it one turn.",
                warning=True,
            )
        else:
            app.submit(Transfer(agent))

    # Back, again, beside

    def rewind(self, _: str) -> None:
        """Undo a message and all that followed: the marked one, or one of a list."""
        self._choose_turn()

    def edit(self, _: str) -> None:
        """Take a message back into the prompt: the marked one, or the last one."""
        turns = self.turns()
        marked = self._marked_turn()
        turn = marked or (turns[-1] if turns else None)
        if turn is not None:
            self.edit_turn(turn)

    def edit_turn(self, turn: UserTurn) -> None:
        """The text comes into the prompt; what is sent next takes the message's place."""
        self._app.sending.edit(turn)

    def rewind_turn(self, turn: UserTurn) -> None:
        """Undo it and all after it; its text returns to the prompt."""
        app = self._app
        app.submit(Rewind(turn.invocation_id))
        app.main.write()
        app.main.area.take_back(turn.text)

    def fork(self, argument: str) -> None:
        """A new session with all up to the marked event; without a mark, with everything."""
        event = self._marked_event()
        if event is not None and event.id:
            self._app.submit(Fork(event_id=event.id, title=argument))
        else:
            self._app.submit(Fork(title=argument))

    def turns(self) -> list[UserTurn]:
        """The user's messages that still count."""
        return [
            i
            for i in self.view.transcript.items
            if isinstance(i, UserTurn) and not i.withdrawn and i.invocation_id
        ]

    def _choose_turn(self) -> None:
        from adk_tui.tui.screens.rewind import RewindScreen

        marked = self._marked_turn()
        turns = self.turns()
        at = turns.index(marked) if marked in turns else len(turns) - 1

        def chosen(answer: tuple[str, UserTurn] | None) -> None:
            if answer is None:
                return
            what, turn = answer
            match what:
                case "rewind":
                    self.rewind_turn(turn)
                case "edit":
                    self.edit_turn(turn)
                case _:
                    self._fork_before(turn)

        self._app.push_screen(RewindScreen(self.view, turns, at), chosen)

    def _fork_before(self, turn: UserTurn) -> None:
        """A new session with all before the message, and the message in its prompt."""
        events = self.view.log.history()
        place = next((i for i, e in enumerate(events) if e.invocation_id == turn.invocation_id), 0)
        before = next((e for e in reversed(events[:place]) if e.id), None)
        if before is None:
            self._app.tell("Nothing comes before the first message. /new starts a session.")
            return
        self._app.submit(Fork(event_id=before.id))
        self._app.main.write()
        self._app.main.area.take_back(turn.text)

    def _marked_event(self) -> EventRecord | None:
        """The event under the cursor of the list that has the focus."""
        return self._app.main.marked_event(self.view)

    def _marked_turn(self) -> UserTurn | None:
        """The user's message that began the marked event's invocation."""
        event = self._marked_event()
        if event is None:
            return None
        found = (t for t in self.turns() if t.invocation_id == event.invocation_id)
        return next(found, None)

    # State

    def state(self, argument: str) -> None:
        """Show the state, or set one key: ``KEY=VALUE``, the value as JSON or as text."""
        app = self._app
        if not argument:
            from adk_tui.tui.screens.state import StateScreen

            app.push_screen(StateScreen(self.view, reveal=app.options.reveal))
            return
        key, equals, text = argument.partition("=")
        if not equals or not key.strip():
            app.tell("Write /state KEY=VALUE; VALUE is JSON or plain text.", warning=True)
            return
        if self.refuses(EDIT_STATE):
            return
        delta = {key.strip(): value_of(text)}
        if problems := refusals(delta):
            app.tell(f"Nothing was written. {explain(problems)}", warning=True)
            return
        app.submit(EditState(delta))

    def undo(self, _: str) -> None:
        """Take back the last thing done here that can be taken back."""
        self._app.undoing.undo()
