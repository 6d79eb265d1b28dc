"""A model that could be called is never replaced; one that certainly cannot be is."""

import pytest
from google.adk.models.base_llm import BaseLlm
from google.adk.models.registry import LLMRegistry

from adk_tui.engine.credentials import may_work

GEMINI = "gemini-2.5-flash"


@pytest.mark.parametrize(
    ("model", "environ", "works"),
    [
        (GEMINI, {}, False),
        (GEMINI, {"GOOGLE_API_KEY": "k"}, True),
        (GEMINI, {"GEMINI_API_KEY": "k"}, True),
        (GEMINI, {"GOOGLE_API_KEY": " "}, False),
        (GEMINI, {"GOOGLE_CLOUD_PROJECT": "p"}, False),
        (GEMINI, {"GOOGLE_GENAI_USE_VERTEXAI": "1"}, True),
        (GEMINI, {"GOOGLE_GENAI_USE_VERTEXAI": "TRUE", "GOOGLE_CLOUD_PROJECT": "p"}, True),
        (GEMINI, {"GOOGLE_GENAI_USE_VERTEXAI": "0"}, False),
        (GEMINI, {"GOOGLE_GENAI_USE_ENTERPRISE": "true"}, True),
        ("models/gemini-2.5-flash", {}, False),
        ("gemma-3-27b-it", {}, False),
        ("projects/p/locations/l/endpoints/1", {}, True),
        ("claude-sonnet-4", {"GOOGLE_CLOUD_PROJECT": "p"}, False),
        ("claude-sonnet-4", {"GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_CLOUD_LOCATION": "l"}, True),
        ("gpt-4o", {}, False),
        ("gpt-4o", {"OPENAI_API_KEY": "k"}, True),
        ("openai/gpt-4o", {}, False),
        ("openai/local", {"OPENAI_BASE_URL": "http://localhost"}, True),
        ("anthropic/claude-sonnet-4", {}, False),
        ("anthropic/claude-sonnet-4", {"ANTHROPIC_API_KEY": "k"}, True),
        ("groq/llama", {"OPENAI_API_KEY": "k"}, False),
        ("gemini/gemini-2.5-flash", {"GEMINI_API_KEY": "k"}, True),
        ("ollama_chat/llama3", {}, True),
        ("ollama/gemma3:1b", {}, True),
        ("bedrock/claude", {}, True),
        ("vertex_ai/gemini", {}, True),
        ("unheard_of/model", {}, True),
        ("openai/gpt-4o", {"USE_LITELLM_PROXY": "true"}, True),
        ("apigee/gemini-2.5-flash", {}, False),
        ("apigee/gemini-2.5-flash", {"APIGEE_PROXY_URL": "https://x"}, True),
        ("Gemini:tuned-model", {}, False),
        ("openai:my-model", {"OPENAI_API_KEY": "k"}, True),
        ("something-else", {}, True),
    ],
)
def test_each_providers_own_rule_decides(model: str, environ: dict[str, str], works: bool) -> None:
    assert may_work(model, environ) is works


def test_a_model_class_that_the_agent_registered_is_left_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Mine(BaseLlm):
        @classmethod
        def supported_models(cls) -> list[str]:
            return [r"gpt-mine"]

    from google.adk.models import registry

    monkeypatch.setattr(registry, "_llm_registry_dict", {"gpt-mine": Mine})
    LLMRegistry.resolve.cache_clear()
    try:
        assert may_work("gpt-mine", {})
    finally:
        LLMRegistry.resolve.cache_clear()
