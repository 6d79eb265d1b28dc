import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adk_tui.core.brief import brief, prose
from adk_tui.core.masking import GrowingText, also_secret
from adk_tui.core.sanitize import MASK, SECRET_KEYS, is_secret, mask, mask_text, restore

TEXT = st.text(st.characters(), max_size=30)
TELLING = st.lists(
    st.sampled_from(
        [
            *"ab1_-.:='\"\\&?/@ \n,;{}",
            "password",
            "token",
            "api_key",
            "authorization",
            "Cookie:",
            "Bearer ",
            "basic ",
            "sk-",
            "AIza",
            "abcdefghij0123456789",
            "eyJhbGciOi.",
            "://",
            "?code=",
            "-----BEGIN PRIVATE KEY-----",
            "-----END PRIVATE KEY-----",
            MASK,
        ]
    ),
    max_size=12,
).map("".join)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), TEXT, TELLING),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.one_of(TEXT, st.sampled_from(sorted(SECRET_KEYS))), inner, max_size=4),
    ),
    max_leaves=15,
)


SECRET = """
    api_key apiKey APIKey apikey OPENAI_API_KEY x-api-key openaiApiKey token access_token
    accessToken githubToken github_token refreshToken idToken csrf_token secret clientSecret
    client_secret AWS_SECRET_ACCESS_KEY password user_password db-password dbpassword passwd
    passwordHash authorization Authorization Proxy-Authorization cookie Set-Cookie cookies
    credential credentials private_key privateKey temp:token user:api_key app:db.password
    secrets access_tokens jwt otp connection_string api_key_value authCode
"""
INNOCENT = """
    token_count tokenCount max_tokens maxOutputTokens prompt_tokens promptTokenCount tokens
    total_tokens secretary tokenizer tokenize author authority authors keyboard key keys
    monkey passenger pass passed passage compass cookbook next_page_token nextPageToken page_token
    pad_token eos_token cost_per_token time_to_first_token credential_type secret_name
    password_required token_type auth_uri keywords state id name author_token_limit text raw
"""


@pytest.mark.parametrize("key", SECRET.split())
def test_keys_that_name_a_secret(key: str) -> None:
    assert is_secret(key)
    assert mask({key: "s3cr3t"}) == {key: MASK}


@pytest.mark.parametrize("key", INNOCENT.split())
def test_keys_that_only_look_like_one(key: str) -> None:
    assert not is_secret(key)
    assert mask({key: "plain"}) == {key: "plain"}


def test_everything_below_a_secret_key_is_masked_but_flags() -> None:
    value = {"credentials": {"user": "bob", "pins": [1234, "x"], "valid": True, "none": None}}
    assert mask(value) == {
        "credentials": {"user": MASK, "pins": [MASK, MASK], "valid": True, "none": None}
    }


def test_the_address_of_a_credential_request_stays_readable() -> None:
    config = {
        "exchangedAuthCredential": {
            "authType": "oauth2",
            "oauth2": {
                "clientId": "me",
                "clientSecret": "hush",
                "authUri": "https://a.example/o?client_id=me&state=abc",
                "authResponseUri": "https://me/cb?code=4/0AX4XfWh12345",
                "accessToken": "t",
            },
        }
    }
    masked = mask(config)
    assert masked == {
        "exchangedAuthCredential": {
            "authType": "oauth2",
            "oauth2": {
                "clientId": "me",
                "clientSecret": MASK,
                "authUri": "https://a.example/o?client_id=me&state=abc",
                "authResponseUri": MASK,
                "accessToken": MASK,
            },
        }
    }


def test_the_list_of_keys_can_be_chosen() -> None:
    value = {"badge_number": "7", "password": "x"}
    assert mask(value, ["badge_number"]) == {"badge_number": MASK, "password": "x"}
    assert mask_text("badge_number=7 password=x", ["badge_number"]) == (
        f"badge_number={MASK} password=x"
    )


PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAK\n-----END RSA PRIVATE KEY-----"
SHAPES = [
    ("sk-proj-abcdefghij1234567890", "abcdefghij"),
    ("sk-ant-api03-abcdefghij1234567890", "abcdefghij"),
    ("AIzaSyA1234567890abcdefghijklmnopqrstuv", "1234567890"),
    ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "abcdefghij"),
    ("github_pat_11ABCDEFG0abcdefghijkl_mnop", "11ABCDEFG0"),
    ("glpat-abcdefghij1234567890", "abcdefghij"),
    ("xoxb-123456789012-abcdefghijkl", "123456789012"),
    ("AKIAIOSFODNN7EXAMPLE", "IOSFODNN7"),
    ("ya29.a0AfH6SMBabcdefghijklmnop", "a0AfH6SMB"),
    ("hf_abcdefghijklmnopqrstuvwxyz", "abcdefghij"),
    ("sk_live_abcdefghij1234", "abcdefghij"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "c2lnbmF0dXJl"),
    ("Authorization: Bearer abc123def456", "abc123def456"),
    ("Authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
    ("bearer s3cr3tt", "s3cr3tt"),
    ("Cookie: sid=abcdef; theme=dark", "abcdef"),
    ("postgres://bob:hunter2@db/x", "hunter2"),
    ("https://bob:p@ss@host/x", "p@ss"),
    ("https://abcdefghij0123456789abcd@github.com/x", "abcdefghij"),
    ("GET /v1?key=abcdefghij012345&x=1", "abcdefghij"),
    ("https://me/cb?code=4/0AX4XfWh12345&state=1", "0AX4XfWh"),
    (PEM, "MIIEow"),
    (PEM[:45], "MIIEow"),
    ("password=hunter2", "hunter2"),
    ("password: hunter", "hunter"),
    ("DB_PASSWORD='hun ter'", "hun ter"),
    ('{"api_key": "a\\"bcd", "x": 1}', "bcd"),
    (r"{\"password\": \"open sesame\"}", "sesame"),
    ("{'client_secret': 'abcd'}", "abcd"),
    ("token = x7", "x7"),
]


@pytest.mark.parametrize(("text", "secret"), SHAPES)
def test_secrets_in_free_text_are_masked_with_a_mark(text: str, secret: str) -> None:
    for around in (text, f"Error: it said {text}\nand went on", f"({text}"):
        assert secret not in mask_text(around)
        assert MASK in mask_text(around)
    assert secret not in str(mask({"log": [{"line": text}]}))


@pytest.mark.parametrize(
    "text",
    [
        "max_tokens=5 token_count: 7 secretary: Ann",
        "the token: please renew it",
        "bearer authentication is used",
        "api_key=None password: null",
        "https://example.com:8080/a?x=1&page=2 mail bob@example.com",
        "ssh://git@github.com/x",
        "task-management-for-everyone sk-learn",
        "def f(api_key: str) -> None",
        "Basic understanding of the authorization code flow",
        "Cookie: I like chocolate",
        "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----",
    ],
)
def test_innocent_text_stays(text: str) -> None:
    assert mask_text(text) == text


@given(st.one_of(TEXT, TELLING))
@example("bearer token=ab1cd password=" + MASK)
def test_masking_text_twice_changes_nothing_more(text: str) -> None:
    assert mask_text(mask_text(text)) == mask_text(text)


@given(JSON)
def test_masking_json_twice_changes_nothing_more(value: object) -> None:
    once = mask(value)  # type: ignore[arg-type]
    assert mask(once) == once


def test_masking_reaches_any_depth_and_leaves_the_original_alone() -> None:
    root: dict[str, object] = {}
    node = root
    for _ in range(5_000):
        node["next"] = {}
        node = node["next"]  # type: ignore[assignment]
    node["password"] = "hunter2"
    masked = mask(root)  # type: ignore[arg-type]
    for _ in range(5_000):
        masked = masked["next"]  # type: ignore[index,call-overload]
    assert masked == {"password": MASK}
    assert node == {"password": "hunter2"}


@pytest.mark.parametrize("shown", range(5, 39))
def test_a_secret_at_the_edge_of_what_is_looked_at_is_not_shown_in_part(shown: int) -> None:
    key = "AIzaSyA1234567890abcdefghijklmnopqrstuv"
    before = f"-----BEGIN PRIVATE KEY-----{'A' * 1_600}-----END PRIVATE KEY----- "
    before += "x " * ((len(before) + shown) % 2)
    limit = (len(before) + shown - 400) // 2
    assert "SyA12" not in prose(before + key, limit)


def test_a_key_that_is_itself_a_secret_is_masked_and_none_is_lost() -> None:
    first, second = ("ghp_abcdefghijklmnopqrstuvwxyz" + end for end in "12")
    masked = mask({first: 1, second: 2, "plain": 3})
    assert masked == {f"ghp_{MASK}": 1, f"ghp_{MASK} (2)": 2, "plain": 3}
    assert mask(masked) == masked
    assert "abcdefghij" not in brief({first: 1})


@pytest.mark.parametrize(
    "text",
    [
        "\x1b[31mtoken=abc1234567\x1b[0m",
        "\x1b[1;31mapi_key\x1b[0m\x1b[33m=\x1b[0m\x1b[32m'abc1234567'\x1b[0m",
        "\x1b[36mpassword\x1b[39m: \x1b[32mabc1234567",
        "\x1b(B\x1b[msecret = abc1234567",
        "␛[31mtoken=abc1234567",
        "\x1b[31mBearer abc1234567abc1234567",
        "\x1b[31msk-proj-abc1234567abcdefghij",
        "\x1b[31mAuthorization: Basic abc1234567",
        "\ufdd1\x1b[31mtoken=abc1234567",
        "- **password**: abc1234567",
        "- **password:** `abc1234567`",
        "`api_key` = abc1234567",
    ],
)
def test_a_colour_glued_to_a_name_hides_no_secret(text: str) -> None:
    masked = mask_text(text)
    assert "abc1234567" not in masked
    assert mask_text(masked) == masked
    assert ("\x1b[31m" in masked) == ("\x1b[31m" in text)


def test_names_of_ones_own_are_secrets_everywhere_from_then_on() -> None:
    also_secret(["customer_number", "kennwort", "пароль", "x5"])
    try:
        told = {"customerNumber": 7, "Kennwort": "geheim", "пароль": "geheim", "x5": "geheim"}
        assert set(mask(told).values()) == {MASK}  # type: ignore[union-attr]
        assert "geheim" not in mask_text("kennwort=geheim1 пароль: geheim1")
        assert "geheim" not in brief(told)
        assert mask({"password": "geheim"}) == {"password": MASK}
    finally:
        also_secret(())
    assert mask({"customer_number": 7}) == {"customer_number": 7}


TOLD = (
    """The **key** ideas are these.
- password: abc1234567
- nothing to hide: 5
sk-proj-abc1234567abcdefghij and more
-----BEGIN RSA PRIVATE KEY-----
abc1234567
abc1234567
-----END RSA PRIVATE KEY-----
"""
    + "a long line of words " * 500
    + "token=abc1234567 end"
)


@pytest.mark.parametrize("size", [1, 7, 40, 5_000])
def test_growing_text_is_masked_as_the_whole_of_it(size: int) -> None:
    growing = GrowingText()
    shown = ""
    for end in range(size, len(TOLD) + size, size):
        shown = growing.update(TOLD[:end])
        # Half a key has no shape yet.
        assert "abc1234567" not in shown[: shown.rfind("\n") + 1]
    assert shown == mask_text(TOLD)
    assert growing.update("another token=abc1234567") == f"another token={MASK}"


def test_what_is_left_masked_in_an_edit_becomes_what_it_was() -> None:
    original = {
        "api_key": "hunter2LEAK",
        "n": 1,
        "list": [{"token": "x1"}, {"token": "x2"}],
        "t": "a",
    }
    seen = mask(original)
    assert restore(seen, original) == original
    edited = {
        "api_key": MASK,
        "n": 2,
        "list": [{"token": MASK}, {"token": "new"}, {"token": MASK}],
        "t": MASK,
        "more": MASK,
    }
    assert restore(edited, original) == {
        "api_key": "hunter2LEAK",
        "n": 2,
        "list": [{"token": "x1"}, {"token": "new"}, {"token": MASK}],
        "t": MASK,
        "more": MASK,
    }
    assert restore([], original) == []
    assert restore(True, 1) is True
