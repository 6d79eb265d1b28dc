"""A credential request's form, and the AuthConfig that answers it.

ADK asks with ``adk_request_credential`` and takes its own AuthConfig back with
``exchangedAuthCredential`` filled in (``auth/_auth_resume.py``). A malformed
one is only logged and the question comes again, so it is checked before.
"""

from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

from adk_tui.client.forms import Field
from adk_tui.client.schemas import Problem
from adk_tui.core.jsontools import JsonObject, as_object, as_text, pick

MALFORMED = "must be an AuthConfig with exchangedAuthCredential, or an AuthCredential with authType"


@dataclass(frozen=True, slots=True)
class Credential:
    """What a person entered; only what the request's scheme asks for is looked at.

    ``redirect_url`` is the address the browser ended at after the login, or
    the bare authorization code.
    """

    redirect_url: str = ""
    api_key: str = ""
    token: str = ""
    username: str = ""
    password: str = ""
    client_id: str = ""
    client_secret: str = ""


def scheme_of(auth: JsonObject) -> str:
    """How the request wants to be answered: ``apiKey``, ``basic``, ``bearer``, ``oauth2`` …"""
    scheme = as_object(pick(auth, "authScheme"))
    kind = as_text(scheme.get("type")) or as_text(pick(scheme, "type_"))
    if kind == "http":
        return "basic" if as_text(scheme.get("scheme")).lower() == "basic" else "bearer"
    if kind in ("oauth2", "openIdConnect", "apiKey"):
        return kind
    raw = as_text(pick(as_object(pick(auth, "rawAuthCredential")), "authType"))
    return raw or kind or "unknown"


def login_url(auth: JsonObject) -> str:
    """The address to open for the login; empty where there is none."""
    return as_text(pick(_oauth(auth), "authUri"))


def credential_fields(auth: JsonObject) -> tuple[Field, ...]:
    """What to ask a person for. The names are those of ``Credential``'s fields."""

    def ask(name: str, label: str, *, secret: bool = True, required: bool = True) -> Field:
        return Field((name,), name, "string", label, required=required, secret=secret)

    match scheme_of(auth):
        case "apiKey":
            return (ask("api_key", "API key"),)
        case "basic":
            return (ask("username", "User name", secret=False), ask("password", "Password"))
        case "oauth2" | "openIdConnect":
            either = ask("redirect_url", "Redirect address or code", required=False)
            return (either, ask("token", "or an access token", required=False))
        case _:
            return (ask("token", "Token"),)


def _oauth(auth: JsonObject) -> JsonObject:
    exchanged = as_object(pick(as_object(pick(auth, "exchangedAuthCredential")), "oauth2"))
    return exchanged or as_object(pick(as_object(pick(auth, "rawAuthCredential")), "oauth2"))


def answer_auth(auth: JsonObject, given: Credential) -> tuple[JsonObject, tuple[Problem, ...]]:
    """The AuthConfig to send, or what is wrong."""
    exchanged: JsonObject
    match scheme_of(auth):
        case "apiKey":
            key = given.api_key.strip() or given.token.strip()
            exchanged = {"authType": "apiKey", "apiKey": key}
            missing = () if key else (Problem("api_key", "is missing"),)
        case "basic":
            pair = {"username": given.username, "password": given.password}
            exchanged = {"authType": "http", "http": {"scheme": "basic", "credentials": pair}}
            missing = tuple(Problem(n, "is missing") for n, v in pair.items() if not v)
        case "oauth2" | "openIdConnect" as kind:
            return _answer_oauth(auth, kind, given)
        case _:
            token = given.token.strip()
            name = as_text(as_object(pick(auth, "authScheme")).get("scheme")) or "bearer"
            http = {"scheme": name, "credentials": {"token": token}}
            exchanged = {"authType": "http", "http": http}
            missing = () if token else (Problem("token", "is missing"),)
    return _filled(auth, exchanged), missing


def _answer_oauth(
    auth: JsonObject, kind: str, given: Credential
) -> tuple[JsonObject, tuple[Problem, ...]]:
    asked = as_object(pick(auth, "exchangedAuthCredential")) or as_object(
        pick(auth, "rawAuthCredential")
    )
    oauth: dict[str, Any] = dict(_oauth(auth))
    address = given.redirect_url.strip()
    problems: tuple[Problem, ...] = ()
    if given.token.strip():
        oauth["accessToken"] = given.token.strip()
    elif "://" in address:
        oauth["authResponseUri"] = address
        problems = _check_redirect(address, as_text(oauth.get("state")))
    elif address and not any(c.isspace() for c in address):
        oauth["authCode"] = address
    elif given.client_id.strip() and given.client_secret.strip():
        oauth["clientId"] = given.client_id.strip()
        oauth["clientSecret"] = given.client_secret.strip()
    else:
        what = "must be the address the browser ended at, like https://…?code=…"
        problems = (Problem("redirect_url", what if address else "is missing"),)
    oauth_type = as_text(pick(asked, "authType")) or kind
    rest = {k: v for k, v in asked.items() if k not in ("authType", "auth_type", "oauth2")}
    return _filled(auth, {**rest, "authType": oauth_type, "oauth2": oauth}), problems


def _check_redirect(address: str, state: str) -> tuple[Problem, ...]:
    def problem(text: str) -> tuple[Problem, ...]:
        return (Problem("redirect_url", text),)

    try:
        parts = urlsplit(address)
    except ValueError:
        return problem("is no web address")
    told = {**parse_qs(parts.fragment), **parse_qs(parts.query)}
    if "error" in told:
        reason = (told.get("error_description") or told["error"])[0]
        return problem(f"says that the login was refused: {reason[:200]}")
    if "code" not in told and "access_token" not in told:
        return problem("has no code in it: copy the whole address after the login")
    if state and told.get("state", [state])[0] != state:
        return problem("belongs to another login (its state differs): log in with this link")
    return ()


def _filled(auth: JsonObject, exchanged: JsonObject) -> JsonObject:
    rest = {k: v for k, v in auth.items() if k != "exchanged_auth_credential"}
    return {**rest, "exchangedAuthCredential": exchanged}


def check_raw(value: Any) -> tuple[Problem, ...]:
    """What is wrong with an AuthConfig or AuthCredential written as JSON."""
    answer = as_object(value)
    exchanged = pick(answer, "exchangedAuthCredential")
    credential = as_object(exchanged) if exchanged is not None else answer
    return () if pick(credential, "authType") else (Problem("", MALFORMED),)
