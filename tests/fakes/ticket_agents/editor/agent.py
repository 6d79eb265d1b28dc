"""A workflow that asks the same question, under the same id, until it likes the answer."""

from google.adk.events.event import Event
from google.adk.events.request_input import RequestInput
from google.adk.workflow import Workflow, node
from pydantic import BaseModel


class Verdict(BaseModel):
    """What an editor says."""

    accept: bool
    stars: int = 0


@node(rerun_on_resume=True)
def review(ctx, node_input):
    """Ask until the note is accepted."""
    answer = (ctx.resume_inputs or {}).get("verdict")
    if answer and answer.get("accept"):
        yield Event(output=f"accepted with {answer.get('stars')} stars", route="accept")
        return
    yield RequestInput(
        interrupt_id="verdict",
        message="Accept the note?",
        payload={"note": "tides"},
        response_schema=Verdict,
    )


@node
def done(node_input):
    """File the note."""
    yield Event(message=f"Filed: {node_input}")


root_agent = Workflow(name="editor", edges=[("START", review), (review, {"accept": done})])
