"""Secrets, found by the name they go under and by their shape, and masked.

A key names a secret when its words end with an entry of the list: ``api_key``
fits ``OPENAI_API_KEY``, ``openaiApiKey`` and ``x-api-key``; ``token`` fits
``github_token`` but neither ``max_tokens`` nor ``token_count``. Shapes are the
published formats of keys (OpenAI, Google, GitHub, AWS, Slack …), JSON Web
Tokens, ``Bearer`` headers, private keys in PEM, and passwords inside URLs.

Masking is shown (``••••``), works on text of any kind, a log or a traceback
included, and gives what it would not change again.

A person's own names for secrets (``also_secret``) hold for the whole process: a
view that had to be handed them could be forgotten, and would leak.
"""

import re
from collections.abc import Collection, Iterable
from functools import lru_cache
from itertools import count
from typing import Any, cast

from adk_tui.core.jsontools import Json

MASK = "••••"

_SECRET = """
    password passwd passphrase passcode pwd db_pass smtp_pass secret client_secret token
    access_token refresh_token auth_token id_token session_token bearer_token api_token api_key
    access_key secret_key private_key encryption_key signing_key auth_key ssh_key account_key
    subscription_key master_key shared_key service_key authorization authorization_code auth_code
    auth_response_uri code_verifier cookie credential connection_string jwt otp cvv bearer
"""
SECRET_KEYS: frozenset[str] = frozenset(_SECRET.split())
"""Names a secret goes under, in snake_case; the plural of each counts, but of ``token``."""

_HARMLESS = """
    page next continuation sync pad eos bos unk mask sep cls special per first last max min each
    prompt output input stop start end thought cached total
"""
_INNOCENT_BEFORE_TOKEN = frozenset(_HARMLESS.split())
_FORMS = "value string text raw hash pem b64 base64 json plain enc encrypted"
_SUFFIXES = frozenset(_FORMS.split())
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

_known = SECRET_KEYS


def also_secret(keys: Iterable[str]) -> None:
    """From now on, and everywhere, take these names for secrets too; replaces those named before.

    To be called once, before anything is shown. A name of other letters than
    a to z, or with digits, fits a key that is spelled the same.
    """
    global _known
    _known = SECRET_KEYS | {key.strip().lower() for key in keys if key.strip()}


def _named(keys: Collection[str] | None) -> frozenset[str]:
    if keys is None:
        return _known
    return keys if isinstance(keys, frozenset) else frozenset(keys)


def is_secret(key: str, keys: Collection[str] | None = None) -> bool:
    """Whether a key names a secret, by the list ``keys`` (snake_case words).

    Without one, here and below, ``SECRET_KEYS`` and the names of ``also_secret``.
    """
    return _is_secret(key[-200:], _named(keys))


@lru_cache(maxsize=8192)
def _is_secret(key: str, keys: frozenset[str]) -> bool:
    if key.lower() in keys:
        return True
    words = [word.lower() for word in _WORD.findall(key)]
    entries = _entries(keys)
    while words:
        if _ends_with_secret(words, entries):
            return True
        if words.pop() not in _SUFFIXES:
            break
    return False


def _ends_with_secret(words: list[str], entries: frozenset[str]) -> bool:
    last = words[-1]
    if last == "token" and len(words) > 1 and words[-2] in _INNOCENT_BEFORE_TOKEN:
        return False
    joined = ""
    for word in reversed(words):
        joined = word + joined
        if joined in entries:
            return True
    return any(len(entry) >= 8 and last.endswith(entry) for entry in entries)


@lru_cache(maxsize=16)
def _entries(keys: frozenset[str]) -> frozenset[str]:
    singular = {key.lower().replace("_", "").replace("-", "") for key in keys} - {""}
    plural = {key + "s" for key in singular if key != "token" and not key.endswith("s")}
    return frozenset(singular | plural)


_OBJECTS_WITH_NAMED_PARTS = frozenset(
    {"rawauthcredential", "exchangedauthcredential", "authcredential", "serviceaccountcredential"}
)


def mask(value: Json, keys: Collection[str] | None = None) -> Json:
    """A copy of a JSON value with secrets masked, at any depth. Total and idempotent.

    Below a secret key every string and number is masked, except in ADK's own
    credential objects, whose parts have names (the URI a person must open is
    one of them). All other strings go through ``mask_text``. Parts without a
    secret are shared with the original, not copied.
    """
    if isinstance(value, str):
        return mask_text(value, keys)
    if not isinstance(value, (dict, list, tuple)):
        return value
    named = _named(keys)
    holder: list[Any] = [None]
    # Depth is the sender's choice, so this walks with a stack of its own.
    stack: list[tuple[Any, Any, Any, bool]] = [(holder, 0, value, False)]
    while stack:
        target, key, item, secret = stack.pop()
        if isinstance(item, dict):
            made: dict[Any, Any] = {}
            target[key] = made
            for name, part in cast("dict[Any, Any]", item).items():
                shown, hidden = name, secret
                if isinstance(name, str):
                    shown = _unused(mask_text(name, named), made)
                    hidden = secret or hides(name, part, named)
                made[shown] = None
                stack.append((made, shown, part, hidden))
        elif isinstance(item, (list, tuple)):
            parts = cast("list[Any]", item)
            row: list[Any] = [None] * len(parts)
            target[key] = row
            stack.extend((row, i, part, secret) for i, part in enumerate(parts))
        elif isinstance(item, str):
            target[key] = (MASK if item else "") if secret else mask_text(item, named)
        elif secret and isinstance(item, (int, float)) and not isinstance(item, bool):
            target[key] = MASK
        else:
            target[key] = item
    return cast(Json, holder[0])


def restore(edited: Json, original: Json) -> Json:
    """What a person made of ``mask(original)``, with the original of what was left masked.

    So a value can be edited unseen: a mask that is left as it was is never
    taken for the value.
    """
    return _restored(edited, mask(original), original)


def _restored(edited: Any, masked: Any, original: Any) -> Any:
    if type(edited) is type(masked) and edited == masked:
        return original
    three = (edited, masked, original)
    if all(isinstance(value, dict) for value in three):
        both = masked.keys() & original.keys()
        parts = edited.items()
        return {k: _restored(v, masked[k], original[k]) if k in both else v for k, v in parts}
    if all(isinstance(value, list) for value in three):
        found = [_restored(*row) for row in zip(*three, strict=False)]
        return found + edited[len(found) :]
    return edited


def _unused(name: str, taken: Collection[str]) -> str:
    # Two keys that are secrets themselves may look alike once masked.
    if name not in taken:
        return name
    return next(n for i in count(2) if (n := f"{name} ({i})") not in taken)


def hides(name: str, part: object, keys: Collection[str] | None = None) -> bool:
    """Whether all of ``part``, found under the key ``name``, is a secret."""
    if not is_secret(name, keys):
        return False
    return not (
        isinstance(part, dict) and "".join(_WORD.findall(name)).lower() in _OBJECTS_WITH_NAMED_PARTS
    )


# The fixed start of a key is published by its owner; what follows is the secret.
_SHAPES = re.compile(
    r"""
      (?<![A-Za-z0-9])(?:
        (sk-(?:proj-|ant-|or-|svcacct-)?)(?=[\w-]{0,80}\d)[\w-]{16,}
      | (AIza|AQ\.)[\w-]{30,}
      | (ya29\.|1//0|GOCSPX-|gl(?:pat|rt|dt)-|pypi-)[\w-]{16,}
      | (gh[pousr]_|hf_|npm_)[A-Za-z0-9]{20,}
      | (github_pat_)\w{20,}
      | (xox[abeprs]-|xapp-)[A-Za-z0-9-]{10,}
      | (AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])
      | ([prs]k_(?:live|test)_)[A-Za-z0-9]{10,}
      | (SG\.)[\w-]{16,}\.[\w-]{16,}
      | (eyJ)[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)*
      )
    """,
    re.VERBOSE,
)
_SHAPE_STARTS = (
    "sk-",
    "AIza",
    "AQ.",
    "ya29.",
    "1//0",
    "GOCSPX-",
    "glpat-",
    "glrt-",
    "gldt-",
    "pypi-",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "hf_",
    "npm_",
    "github_pat_",
    "xox",
    "xapp-",
    "AKIA",
    "ASIA",
    "k_live_",
    "k_test_",
    "SG.",
    "eyJ",
)
_BEARER = re.compile(
    r"((?i:(?<![a-z0-9])bearer)[ \t]+)(?=[\w.~+/=-]{20}|[a-z._~+/=-]{0,19}[0-9A-Z])[\w.~+/=-]{6,}"
)
_PEM = re.compile(
    r"(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----).*?"
    r"(?:(?=-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----)|\Z)",
    re.DOTALL,
)
_PASSWORD_IN_URL = re.compile(r"""(?<=://)([^\s/:@"'<>\\]{0,200}:)[^\s/"'<>,\\]{1,500}@""")
_TOKEN_IN_URL = re.compile(r"""(?<=://)(?=[^\s/@]{0,200}\d)[^\s/:@"'<>,\\]{20,500}@""")
_QUERY = re.compile(r"""(?<=[?&])([\w.-]{1,60}=)([^\s&"'#<>\\]{4,})""")
_QUERY_KEY = re.compile(r"(?:.*[-_.])?(?:sig|signature|key|code)=", re.IGNORECASE)
_HEADER = re.compile(
    r"(?i:(?<![\w-])((?:proxy-)?authorization[ \t]*[:=][ \t]*(?:basic|digest|token|apikey)[ \t]+"
    r"|(?:set-)?cookie[ \t]*:[ \t]*(?=[^\s=;]{1,100}=)))[^\r\n\"']{3,}"
)
_ESCAPE = re.compile(r"[\x1b␛](?:\[[0-?]*[ -/]*[@-~]|\([0-9A-Za-z])")
_AFTER = "\ufdd1"
# Neither a colour nor the emphasis of Markdown around a part of "name = value" hides it.
_GAP = rf"(?:[ \t]{{0,3}}(?:{_ESCAPE.pattern}{_AFTER}[ \t]{{0,3}}){{0,4}})"
_NAME = re.compile(
    rf"""(?<![\w.-])([^\W\d][\w.-]*){_GAP}[\\"'*`]{{0,4}}{_GAP}([:=])[*`]{{0,3}}{_GAP}"""
)
_VALUE = re.compile(
    r"""\\"((?:[^"\\]|\\(?!"))+)|"((?:[^"\\]|\\.)+)|'((?:[^'\\]|\\.)+)"""
    r"""|([^\s"',;&<>{}\[\]()\\]+)""",
    re.DOTALL,
)
_NO_VALUES = frozenset({"null", "none", "true", "false"})


def mask_text(text: str, keys: Collection[str] | None = None) -> str:
    """Free text with secrets masked: known shapes, and values after a secret's name. Idempotent.

    Costs next to nothing where no telling word occurs. A name with a plain
    word behind it, as in "the token: please renew it", is no secret.
    """
    named = _named(keys)
    if "\x1b" not in text and "␛" not in text:
        return _mask(text, named)
    # The "m" that ends a colour would make one word with the name or the key behind it.
    parted = _ESCAPE.sub(rf"\g<0>{_AFTER}", text.replace(_AFTER, r"\ufdd1"))
    return _mask(parted, named).replace(_AFTER, "")


def _mask(text: str, keys: frozenset[str]) -> str:
    # What one pass leaves may be told by the next: a mask ends a longer word.
    for _ in range(4):
        masked = _mask_once(text, keys)
        if masked == text:
            break
        text = masked
    return text


def _mask_once(text: str, keys: frozenset[str]) -> str:
    if "PRIVATE KEY-----" in text:
        text = _PEM.sub(rf"\1{MASK}", text)
    if any(start in text for start in _SHAPE_STARTS):
        text = _SHAPES.sub(_keep_prefix, text)
    if "://" in text and "@" in text:
        text = _PASSWORD_IN_URL.sub(rf"\1{MASK}@", text)
        text = _TOKEN_IN_URL.sub(f"{MASK}@", text)
    if len(text) >= 19:
        text = _CARD.sub(_mask_card, text)
    if "=" not in text and ":" not in text and " " not in text:
        return text
    if "=" in text and ("?" in text or "&" in text):
        text = _QUERY.sub(lambda match: _mask_query(match, keys), text)
    lower = text.lower()
    if "bearer" in lower:
        text = _BEARER.sub(rf"\1{MASK}", text)
    if "authorization" in lower or "cookie" in lower:
        text = _HEADER.sub(rf"\1{MASK}", text)
    if any(hint in lower for hint in _hints(keys)):
        text = _mask_pairs(text, keys)
    return text


@lru_cache(maxsize=16)
def _hints(keys: frozenset[str]) -> tuple[str, ...]:
    # The shortest endings: where none of them occurs, no name in the text can match.
    endings = {key.lower().replace("-", "_").rpartition("_")[2] for key in keys} - {""}
    return tuple(e for e in endings if not any(o != e and o in e for o in endings))


# A group among many more of its kind is part of a list of numbers.
_CARD = re.compile(r"(?<![\w-])(?<!\d )\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?![\w-])(?! \d)")


def _mask_card(match: re.Match[str]) -> str:
    """Four groups of four digits whose check digit (Luhn) is right are a payment card."""
    digits = [int(d) for d in match[0] if d.isdigit()]
    total = sum(d if n % 2 else sum(divmod(2 * d, 10)) for n, d in enumerate(digits))
    return match[0] if total % 10 else MASK


def _keep_prefix(match: re.Match[str]) -> str:
    return f"{match[match.lastindex or 0]}{MASK}"


def _mask_query(match: re.Match[str], keys: frozenset[str]) -> str:
    secret = is_secret(match[1], keys) or (len(match[2]) >= 10 and _QUERY_KEY.match(match[1]))
    return f"{match[1]}{MASK}" if secret else match[0]


def _mask_pairs(text: str, keys: frozenset[str]) -> str:
    pieces: list[str] = []
    done = 0
    for name in _NAME.finditer(text):
        if name.start() < done or not is_secret(name[1], keys):
            continue
        value = _VALUE.match(text, name.end())
        if value is None or value.lastindex is None:
            continue
        bare = value[4]
        if bare and (bare.lower() in _NO_VALUES or (name[2] == ":" and _is_prose(name[1], bare))):
            continue
        start, end = value.span(value.lastindex)
        pieces += (text[done:start], MASK)
        done = end
    return "".join((*pieces, text[done:])) if pieces else text


def _is_prose(name: str, value: str) -> bool:
    lower = name.lower()
    return (
        value.rstrip(".!?:").isalpha()
        and len(value) < 16
        and not ("pass" in lower or "pwd" in lower)
    )


class GrowingText:
    """Text that arrives in pieces, masked as it grows: what is finished is not looked at again.

    A line is finished when the next one begins; of a very long one all but its
    end, up to a blank; and a private key when its last line is there.
    """

    def __init__(self) -> None:
        self._finished = ""
        self._masked = ""

    def update(self, text: str) -> str:
        """The text as it is now, masked."""
        if not text.startswith(self._finished):
            self.__init__()
        rest = text[len(self._finished) :]
        end = rest.rfind("\n") + 1
        if len(rest) - end > _LONG_LINE:
            end = rest.rfind(" ", 0, len(rest) - _LONG_LINE // 2) + 1
        begun = rest.rfind("-----BEGIN ")
        if begun >= 0 and "-----END " not in rest[begun:]:
            end = min(end, begun)
        if end:
            self._masked += mask_text(rest[:end])
            self._finished = text[: len(self._finished) + end]
        return self._masked + mask_text(rest[end:])


_LONG_LINE = 4_000
