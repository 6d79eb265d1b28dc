"""Whether a model given by name can be called with what the environment holds.

The rules are those of the clients ADK would use. Three answers are possible,
and two count as "yes": the credentials are there, or they may be somewhere
that cannot be looked into without the network or the user's leave (Google's
application default credentials, AWS profiles, a proxy). Only a provider whose
key is known to be necessary and known to be absent gets a "no".

| model name                        | needs                                                    |
|-----------------------------------|----------------------------------------------------------|
| gemini-*, gemma-*, model-optimizer| GOOGLE_API_KEY or GEMINI_API_KEY; with                   |
|                                   | GOOGLE_GENAI_USE_VERTEXAI (or _ENTERPRISE) unknowable    |
| projects/…                        | application default credentials: unknowable              |
| claude-*                          | GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION           |
| gpt-*, o1-* …                     | OPENAI_API_KEY                                           |
| apigee/…                          | APIGEE_PROXY_URL                                         |
| provider/…                        | the provider's key below; other providers: unknowable    |
| anything else                     | a class the agent registered itself: unknowable          |
"""

import re
from collections.abc import Mapping

from google.adk.models.registry import LLMRegistry

_PROVIDER_KEYS: dict[str, tuple[str, ...]] = {
    "ai21": ("AI21_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "azure": ("AZURE_API_KEY", "AZURE_OPENAI_API_KEY", "AZURE_AD_TOKEN", "AZURE_CLIENT_ID"),
    "azure_ai": ("AZURE_AI_API_KEY",),
    "cohere": ("COHERE_API_KEY", "CO_API_KEY"),
    "databricks": ("DATABRICKS_API_KEY", "DATABRICKS_TOKEN", "DATABRICKS_CLIENT_ID"),
    "deepseek": ("DEEPSEEK_API_KEY",),
    "fireworks_ai": ("FIREWORKS_API_KEY", "FIREWORKS_AI_API_KEY", "FIREWORKSAI_API_KEY"),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "groq": ("GROQ_API_KEY",),
    "mistral": ("MISTRAL_API_KEY",),
    "openai": ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE"),
    "openrouter": ("OPENROUTER_API_KEY",),
    "perplexity": ("PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY"),
    "together_ai": ("TOGETHERAI_API_KEY", "TOGETHER_AI_TOKEN", "TOGETHER_API_KEY"),
    "xai": ("XAI_API_KEY",),
}
_GOOGLE = ("GOOGLE_API_KEY", "GEMINI_API_KEY")
_GEMINI_NAME = re.compile(r"(?:models/)?(?:gemini-|gemma-|model-optimizer-)")
_OPENAI_NAME = re.compile(r"gpt-|o\d+-")


def _on(environ: Mapping[str, str], name: str) -> bool:
    """google-genai's own reading of a flag: ``1`` or ``true``."""
    return environ.get(name, "").lower() in ("1", "true")


def _any(environ: Mapping[str, str], names: tuple[str, ...]) -> bool:
    return any(environ.get(name, "").strip() for name in names)


def _registered_by_agent(model: str) -> bool:
    """Whether the name resolves to a class that is not ADK's own."""
    try:
        return not LLMRegistry.resolve(model).__module__.startswith("google.adk.")
    except Exception:
        # Resolving imports the provider's package; whatever that does, the name's rule decides.
        return False


def may_work(model: str, environ: Mapping[str, str]) -> bool:
    """Whether ``model`` has credentials in ``environ``, or may have them elsewhere."""
    prefix, colon, rest = model.partition(":")
    if colon and prefix.lower() in ("gemini", "gemma", "claude", "openai", "litellm", "lite"):
        family, name = prefix.lower(), rest
    else:
        family, name = "", model
    if not family and _registered_by_agent(model):
        return True
    if family in ("gemini", "gemma") or (not family and _GEMINI_NAME.match(name)):
        vertex = _on(environ, "GOOGLE_GENAI_USE_VERTEXAI")
        return vertex or _on(environ, "GOOGLE_GENAI_USE_ENTERPRISE") or _any(environ, _GOOGLE)
    if family == "claude" or (not family and name.startswith("claude-")):
        return all(environ.get(f"GOOGLE_CLOUD_{part}") for part in ("PROJECT", "LOCATION"))
    if family == "openai" or (not family and _OPENAI_NAME.match(name)):
        return _any(environ, _PROVIDER_KEYS["openai"])
    provider, slash, _ = name.partition("/")
    if not slash or environ.get("USE_LITELLM_PROXY", "").lower() == "true":
        return True
    if provider == "apigee":
        return _any(environ, ("APIGEE_PROXY_URL",))
    return provider not in _PROVIDER_KEYS or _any(environ, _PROVIDER_KEYS[provider])
