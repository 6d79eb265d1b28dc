"""A workflow with a node that runs only after somebody said yes."""

from google.adk.events.event import Event
from google.adk.workflow import FunctionNode, Workflow, node


def remove(path: str = "/tmp/old") -> dict[str, str]:
    """Remove a folder."""
    return {"removed": path}


@node
def tell(node_input):
    """Say what came of it."""
    yield Event(message=f"gate: {node_input}")


gated = FunctionNode(func=remove, name="remove", require_confirmation=True, rerun_on_resume=True)
root_agent = Workflow(name="gate", edges=[("START", gated, tell)])
