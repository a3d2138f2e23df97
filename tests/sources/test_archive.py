from __future__ import annotations

import gzip
import io
import stat
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from atlas.exceptions import ArchiveError, MissingFileError, SourceError
from atlas.sources.archive import Limits, member_names, read_members

Make = Callable[..., bytes]
WHEEL = "project-1.0-py3-none-any.whl"
SDIST = "project-1.0.tar.gz"
PATHS = ["pkg/layers.py", "pkg/models/net.py"]


def read(content: bytes, name: str, *paths: str, **more: object) -> dict[str, bytes | SourceError]:
    return read_members(io.BytesIO(content), name, paths or PATHS, **more)  # type: ignore[arg-type]  # keywords of the test


def refused(content: bytes, name: str, *paths: str, **more: object) -> str:
    with pytest.raises(ArchiveError) as caught:
        read(content, name, *paths, **more)
    assert caught.value.field == ("artifact", "file")
    return str(caught.value)


def tar_of(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as archive:
        for member, content in members:
            member.size = len(content) if member.isreg() else 0
            archive.addfile(member, io.BytesIO(content))
    return raw.getvalue()


def member(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type, made.linkname = kind, target
    return made


def test_a_wheel_gives_its_files(make_wheel: Make, files: dict[str, bytes]) -> None:
    assert read(make_wheel(files), WHEEL) == {path: files[path] for path in PATHS}


@pytest.mark.parametrize(("name", "mode"), [("a-1.tar.gz", "w:gz"), ("a-1.tar.bz2", "w:bz2"), ("a-1.tar.xz", "w:xz")])
def test_a_source_distribution_gives_the_files_below_its_top_folder(
    make_sdist: Make, files: dict[str, bytes], name: str, mode: str
) -> None:
    assert read(make_sdist(files, mode=mode), name) == {path: files[path] for path in PATHS}
    assert read(make_sdist(files, top="./a-1/", mode=mode), name) == {path: files[path] for path in PATHS}


def test_a_zipped_source_distribution_has_a_top_folder_too(make_wheel: Make, files: dict[str, bytes]) -> None:
    content = make_wheel({f"project-1.0/{path}": text for path, text in files.items()})
    assert read(content, "project-1.0.zip") == {path: files[path] for path in PATHS}


def test_strip_is_left_out_of_the_names_in_the_archive(make_wheel: Make, files: dict[str, bytes]) -> None:
    found = read(make_wheel(files), WHEEL, "src/pkg/layers.py", strip="src")
    assert found == {"src/pkg/layers.py": files["pkg/layers.py"]}


def test_strip_is_a_folder_and_not_a_beginning_of_a_name(make_wheel: Make) -> None:
    assert read(make_wheel({"srcs/a.py": b"1"}), WHEEL, "srcs/a.py", strip="src") == {"srcs/a.py": b"1"}


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_a_missing_path_names_the_nearest(
    make_wheel: Make, make_sdist: Make, files: dict[str, bytes], kind: str
) -> None:
    content, name = (make_wheel(files), WHEEL) if kind == "wheel" else (make_sdist(files), SDIST)
    found = read(content, name, "pkg/layer.py", "pkg/net.py", "pkg/layers.py")
    assert found["pkg/layers.py"] == files["pkg/layers.py"]
    for path, there in {"pkg/layer.py": "pkg/layers.py", "pkg/net.py": "pkg/models/net.py"}.items():
        error = found[path]
        assert isinstance(error, MissingFileError)
        assert str(error) == f"{name} has no file {path}; the nearest is {there}"
        assert error.field == ("files", path)


def test_a_missing_stripped_path_is_named_both_ways(make_wheel: Make) -> None:
    error = read(make_wheel({"zzz": b""}), WHEEL, "src/pkg/layers.py", strip="src")["src/pkg/layers.py"]
    assert str(error) == f"{WHEEL} has no file src/pkg/layers.py (as pkg/layers.py)"


@pytest.mark.parametrize("bad", ["../out.py", "pkg/../../out.py", "/etc/out.py", "..\\out.py", "C:/out.py", "\\out.py"])
def test_a_name_that_leaves_the_archive_is_refused_wherever_it_is(
    make_wheel: Make, files: dict[str, bytes], bad: str
) -> None:
    stated = f"has a member whose name leaves the archive: {bad!r}"
    assert refused(make_wheel({**files, bad: b"x"}), WHEEL) == f"{WHEEL} {stated}"
    content = tar_of(*((member(f"p-1/{path}"), text) for path, text in files.items()), (member(bad), b"x"))
    assert refused(content, SDIST) == f"{SDIST} {stated}"


def test_a_name_with_a_nul_is_not_read_as_its_beginning(make_wheel: Make) -> None:
    content = make_wheel({"pkg/layers.pyXevil": b"x"}).replace(b"layers.pyXevil", b"layers.py\0evil")
    assert "leaves the archive: 'pkg/layers.py\\x00evil'" in refused(content, WHEEL)


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_are_not_read_from_a_tar(kind: bytes) -> None:
    content = tar_of((member("p-1/real.py"), b"real"), (member("p-1/pkg/layers.py", kind, "p-1/real.py"), b""))
    error = read(content, SDIST, "pkg/layers.py")["pkg/layers.py"]
    assert isinstance(error, ArchiveError)
    assert str(error) == f"pkg/layers.py is a link or a device in {SDIST}, not a file; only files are read"
    assert error.field == ("files", "pkg/layers.py")
    assert read(content, SDIST, "real.py") == {"real.py": b"real"}


def test_links_are_not_read_from_a_zip() -> None:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as archive:
        about = zipfile.ZipInfo("pkg/layers.py")
        about.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(about, "/etc/passwd")
    error = read(raw.getvalue(), WHEEL, "pkg/layers.py")["pkg/layers.py"]
    assert isinstance(error, ArchiveError)
    assert "is a link or a device" in str(error)


def test_a_path_behind_a_linked_folder_is_refused() -> None:
    content = tar_of((member("p-1/pkg", tarfile.SYMTYPE, "/usr/lib"), b""), (member("p-1/setup.py"), b""))
    error = read(content, SDIST, "pkg/layers.py")["pkg/layers.py"]
    assert isinstance(error, ArchiveError)
    assert str(error) == f"pkg/layers.py lies behind the link pkg in {SDIST}; links are not followed"


def test_a_member_over_the_limit_is_refused_and_one_at_the_limit_is_read(make_wheel: Make, make_sdist: Make) -> None:
    files = {"pkg/layers.py": b"x" * 101, "pkg/models/net.py": b"y" * 100}
    for content, name in [(make_wheel(files), WHEEL), (make_sdist(files), SDIST)]:
        found = read(content, name, limits=Limits(member=100))
        assert found["pkg/models/net.py"] == b"y" * 100
        error = found["pkg/layers.py"]
        assert isinstance(error, ArchiveError)
        assert str(error) == f"pkg/layers.py in {name} is larger than the limit of 100 bytes"
        assert error.field == ("files", "pkg/layers.py")


def test_a_zip_member_that_understates_its_size_is_not_believed(make_wheel: Make) -> None:
    content = bytearray(make_wheel({"pkg/layers.py": b"x" * 5000}))
    for start in (content.index(b"PK\x03\x04") + 22, content.index(b"PK\x01\x02") + 24):
        content[start : start + 4] = (10).to_bytes(4, "little")
    assert "is damaged or not an archive of its kind" in refused(bytes(content), WHEEL, "pkg/layers.py")


def test_an_archive_over_the_limit_is_refused(make_wheel: Make, files: dict[str, bytes]) -> None:
    content = make_wheel(files)
    assert refused(content, WHEEL, limits=Limits(archive=len(content) - 1)) == (
        f"{WHEEL} has {len(content):,} bytes; the limit is {len(content) - 1:,}"
    )
    assert len(read(content, WHEEL, limits=Limits(archive=len(content)))) == 2


def test_a_bomb_is_stopped_while_it_is_passed_over() -> None:
    content = tar_of((member("p-1/bomb"), bytes(8_000_000)), (member("p-1/pkg/layers.py"), b"text"))
    assert len(content) < 20_000
    assert read(content, SDIST, "pkg/layers.py") == {"pkg/layers.py": b"text"}
    told = refused(content, SDIST, "pkg/layers.py", limits=Limits(unpacked=4_000_000))
    assert told.startswith(f"{SDIST} unpacks to more than it may (4,000,000 bytes in all")


def test_a_bomb_in_a_header_is_stopped() -> None:
    content = tar_of((member("p-1/" + "n" * 30_000_000), b""))
    assert len(content) < 100_000
    assert "1,048,576 for the headers of one member" in refused(content, SDIST, "pkg/layers.py")


def test_a_bomb_after_compression_of_zeros_is_stopped() -> None:
    # No member at all: the end of the archive, and then zeros without end.
    content = gzip.compress(bytes(1024)) + gzip.compress(bytes(30_000_000))
    assert isinstance(read(content, SDIST, "pkg/layers.py")["pkg/layers.py"], MissingFileError)


def test_too_many_members_are_refused(make_wheel: Make, make_sdist: Make) -> None:
    files = {f"f{number}": b"" for number in range(11)}
    for content, name in [(make_wheel(files), WHEEL), (make_sdist(files), SDIST)]:
        assert refused(content, name, limits=Limits(members=10)) == f"{name} has more than 10 members"


def test_a_name_that_occurs_twice_is_refused(files: dict[str, bytes]) -> None:
    stated = "has two members named {}, so either could be meant"
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as archive:
        archive.writestr("pkg/layers.py", "one")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("pkg/layers.py", "two")
    assert refused(raw.getvalue(), WHEEL) == f"{WHEEL} " + stated.format("'pkg/layers.py'")
    content = tar_of((member("p-1/pkg/layers.py"), b"one"), (member("p-1/pkg//./layers.py"), b"two"))
    assert refused(content, SDIST) == f"{SDIST} " + stated.format("'p-1/pkg//./layers.py'")


def test_several_top_folders_are_refused() -> None:
    content = tar_of((member("a-1/pkg/layers.py"), b"one"), (member("b-1/other.py"), b"two"))
    assert refused(content, SDIST) == f"{SDIST} has no single top folder but several (a-1, b-1)"


@pytest.mark.parametrize("name", [WHEEL, SDIST, "a-1.tar.bz2", "a-1.tar.xz", "a-1.zip"])
@pytest.mark.parametrize("content", [b"", b"not an archive", b"\0" * 2000])
def test_what_is_no_archive_is_refused(name: str, content: bytes) -> None:
    assert refused(content, name).startswith(f"{name} is damaged or not an archive of its kind: ")


@pytest.mark.parametrize("kept", [0.3, 0.6, 0.9])
def test_a_truncated_archive_is_refused(make_wheel: Make, make_sdist: Make, kept: float) -> None:
    files = {f"pkg/{number}.py": bytes([number, number + 1]) * 3000 for number in range(40)}
    files["pkg/layers.py"] = b"last"
    for content, name in [(make_wheel(files), WHEEL), (make_sdist(files), SDIST)]:
        assert "is damaged or not an archive of its kind" in refused(content[: int(len(content) * kept)], name)


def test_a_damaged_header_is_not_taken_for_the_end(make_sdist: Make) -> None:
    raw = bytearray(gzip.decompress(make_sdist({"a.py": b"one", "pkg/layers.py": b"two"})))
    raw[1024 + 150] ^= 1  # the second member's checksum
    assert "damaged header (bad checksum)" in refused(gzip.compress(bytes(raw)), SDIST, "pkg/layers.py")


def test_a_changed_byte_in_a_zip_member_is_noticed(make_wheel: Make) -> None:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("pkg/layers.py", "epsilon = 1e-6")
    changed = raw.getvalue().replace(b"1e-6", b"1e-5")
    assert "Bad CRC-32" in refused(changed, WHEEL, "pkg/layers.py")


def test_the_names_of_all_files_are_told_without_reading_any(
    make_wheel: Make, make_sdist: Make, files: dict[str, bytes]
) -> None:
    for content, name in ((make_wheel(files), "p.whl"), (make_sdist(files), "p.tar.gz")):
        assert member_names(io.BytesIO(content), name) == files.keys()
    link = tar_of((member("p-1/a"), b"x"), (member("p-1/b", tarfile.SYMTYPE, "a"), b""))
    assert member_names(io.BytesIO(link), "p.tar.gz") == {"a"}
    with pytest.raises(ArchiveError, match="leaves the archive"):
        member_names(io.BytesIO(make_wheel({"../a": b""})), "p.whl")
    with pytest.raises(ArchiveError, match="several"):
        member_names(io.BytesIO(make_sdist({"q/a": b"", "r/b": b""}, "")), "p.tar.gz")


READER = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (400_000_000,) * 2)
from atlas.sources.archive import read_members
with open(sys.argv[1], "rb") as file:
    found = read_members(file, sys.argv[2], ["pkg/layers.py"])
print(found["pkg/layers.py"])
"""


@pytest.mark.parametrize("name", [WHEEL, SDIST])
def test_a_bomb_takes_little_memory(tmp_path: Path, name: str) -> None:
    """A wanted file of 800 MB, in an archive of a few, where the process may have 400 MB in all."""
    archive, zeros = tmp_path / name, bytes(10_000_000)
    if name == WHEEL:
        with (
            zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as made,
            made.open("pkg/layers.py", "w") as file,
        ):
            for _ in range(80):
                file.write(zeros)
    else:
        header = member("p-1/pkg/layers.py")
        header.size = 80 * len(zeros)
        with gzip.open(archive, "wb", compresslevel=1) as packed:
            packed.write(header.tobuf())
            for _ in range(80):
                packed.write(zeros)
            packed.write(bytes(1024))
    assert archive.stat().st_size < 8_000_000
    ran = subprocess.run(  # noqa: S603 - our own interpreter and text
        [sys.executable, "-c", READER, str(archive), name], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert f"pkg/layers.py in {name} is larger than the limit of 16,777,216 bytes" in ran.stdout
