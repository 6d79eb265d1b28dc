"""The artifacts of a session, through whichever artifact service is in use."""

import base64
import binascii
from collections.abc import Sequence

from google.adk.artifacts.base_artifact_service import BaseArtifactService
from google.genai import types

from adk_tui.core.records import EventRecord
from adk_tui.core.reports import ArtifactContent, ArtifactInfo, ArtifactVersion
from adk_tui.core.rewind_preview import artifact_versions
from adk_tui.engine.failures import EngineError

SHARED = "user:"
"""Names that begin with this belong to the user, not to one session."""


def decode(name: str, data: str) -> bytes:
    """Base64, in either alphabet, as bytes. Raises EngineError where it is none."""
    try:
        return base64.b64decode(data, altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as error:
        raise EngineError(
            "bad.attachment", f"{name} did not arrive whole: {error}", "Send the file again."
        ) from error


class Artifacts:
    """Lists, reads, saves and copies artifacts of one app."""

    def __init__(self, service: BaseArtifactService, app_name: str) -> None:
        self._service = service
        self._app = app_name

    async def infos(
        self, user: str, session_id: str, events: Sequence[EventRecord]
    ) -> tuple[ArtifactInfo, ...]:
        """All artifacts that the session can read, by name, with their versions."""
        savers = {
            (str(name), version): event.id
            for event in events
            for name, version in event.actions.artifact_delta.items()
        }
        names = await self._service.list_artifact_keys(
            app_name=self._app, user_id=user, session_id=session_id
        )
        # A save that failed, on a full disk say, leaves the name without a version.
        return tuple(
            [
                ArtifactInfo(name, versions)
                for name in sorted(set(names))
                if (versions := await self._versions(user, session_id, name, savers))
            ]
        )

    async def _versions(
        self, user: str, session_id: str, name: str, savers: dict[tuple[str, int], str]
    ) -> tuple[ArtifactVersion, ...]:
        try:
            found = await self._service.list_artifact_versions(
                app_name=self._app, user_id=user, session_id=session_id, filename=name
            )
        except NotImplementedError:
            numbers = await self._numbers(user, session_id, name)
            return tuple(ArtifactVersion(n, event_id=savers.get((name, n), "")) for n in numbers)
        return tuple(
            ArtifactVersion(
                v.version,
                v.mime_type or "",
                v.create_time,
                event_id=savers.get((name, v.version), ""),
            )
            for v in sorted(found, key=lambda v: v.version)
        )

    async def _numbers(self, user: str, session_id: str, name: str) -> list[int]:
        return sorted(
            await self._service.list_versions(
                app_name=self._app, user_id=user, session_id=session_id, filename=name
            )
        )

    async def read(
        self, user: str, session_id: str, name: str, version: int = -1
    ) -> ArtifactContent:
        """One version, the newest with -1. Raises EngineError where it cannot be read."""
        try:
            numbers = await self._numbers(user, session_id, name)
        except ValueError as error:
            raise _refused(name, error) from error
        number = version if version >= 0 else (numbers[-1] if numbers else 0)
        part = await self._load(user, session_id, name, number)
        if part is None:
            raise self._absent(name, number, numbers)
        if part.inline_data is not None:
            blob = part.inline_data
            data = base64.b64encode(blob.data or b"").decode("ascii")
            return ArtifactContent(name, number, blob.mime_type or "", data)
        if part.file_data is not None:
            file = part.file_data
            return ArtifactContent(name, number, file.mime_type or "", uri=file.file_uri or "")
        data = base64.b64encode((part.text or "").encode("utf-8", "replace")).decode("ascii")
        return ArtifactContent(name, number, "text/plain", data)

    def _absent(self, name: str, number: int, numbers: list[int]) -> EngineError:
        if number in numbers:
            return EngineError(
                "artifact.withdrawn",
                f"Version {number} of {name} is empty: a rewind took the artifact back.",
                "An earlier version may still be read.",
            )
        known = ", ".join(map(str, numbers))
        hint = f"There are the versions {known}." if numbers else "List the artifacts to see all."
        return EngineError("artifact.unknown", f"There is no version {number} of {name}.", hint)

    async def save(self, user: str, session_id: str, name: str, mime_type: str, data: bytes) -> int:
        """Store the next version; returns its number. Raises EngineError where it is refused."""
        part = types.Part(inline_data=types.Blob(data=data, mime_type=mime_type))
        try:
            return await self._service.save_artifact(
                app_name=self._app,
                user_id=user,
                session_id=session_id,
                filename=name,
                artifact=part,
            )
        except ValueError as error:
            raise _refused(name, error) from error

    async def copy(
        self, user: str, session_id: str, events: Sequence[EventRecord], to: str
    ) -> tuple[str, ...]:
        """Give another session the artifacts that ``events`` saved, under the same version numbers.

        Returns the names of those that could not be copied so. What belongs to
        the user is in reach of both already.
        """
        missed: list[str] = []
        for name, newest in artifact_versions(events).items():
            if name.startswith(SHARED):
                continue
            for number in range(newest + 1):
                part = await self._load(user, session_id, name, number)
                saved = -1
                if part is not None:
                    saved = await self._service.save_artifact(
                        app_name=self._app,
                        user_id=user,
                        session_id=to,
                        filename=name,
                        artifact=part,
                    )
                if saved != number:
                    missed.append(name)
                    break
        return tuple(missed)

    async def _load(self, user: str, session_id: str, name: str, version: int) -> types.Part | None:
        try:
            return await self._service.load_artifact(
                app_name=self._app,
                user_id=user,
                session_id=session_id,
                filename=name,
                version=version,
            )
        except ValueError as error:
            raise _refused(name, error) from error


def _refused(name: str, error: Exception) -> EngineError:
    return EngineError(
        "artifact.refused",
        f"The artifact service refuses {name!r}: {error}",
        "Choose a plain file name.",
    )
