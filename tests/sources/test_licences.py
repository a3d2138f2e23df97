"""What a project says of itself is found where it says it, and nothing is guessed."""

from __future__ import annotations

import pytest

from atlas.sources.licences import about_package, about_revision, copyright_in, licence_names, metadata_name, recognized

MIT = "Permission is hereby granted, free of charge,\nto any person obtaining a copy"
BSD = "Redistribution and use in source and binary forms, with or without"


def about(*lines: str, texts: tuple[str, ...] = ()) -> tuple[str, str, str]:
    metadata = "\n".join(["Metadata-Version: 2.1", "Name: Net", "Version: 1", *lines, "", ""]).encode()
    found = about_package(metadata, texts)
    assert found.title == "Net"
    return found.licence, found.copyright, found.repository


@pytest.mark.parametrize(
    ("lines", "texts", "licence"),
    [
        (["License-Expression: mit or apache-2.0"], (), "MIT OR Apache-2.0"),
        (["Classifier: License :: OSI Approved :: MIT License"], (), "MIT"),
        (["Classifier: License :: OSI Approved :: Apache Software License", "License: Apache 2"], (), "Apache-2.0"),
        (["License: BSD-3-Clause"], (), "BSD-3-Clause"),
        (["License: BSD"], (), ""),
        (
            ["License: BSD", "Classifier: License :: OSI Approved :: BSD License"],
            (f"{BSD}\nNeither the name of",),
            "BSD-3-Clause",
        ),
        (["Classifier: License :: OSI Approved"], (BSD,), "BSD-2-Clause"),
        ([], (MIT,), "MIT"),
        ([], (MIT, BSD), ""),
        (
            [
                "Classifier: License :: OSI Approved :: MIT License",
                "Classifier: License :: OSI Approved :: BSD License",
            ],
            (),
            "",
        ),
        ([], (), ""),
    ],
)
def test_the_licence_is_what_is_stated_else_what_the_text_is(
    lines: list[str], texts: tuple[str, ...], licence: str
) -> None:
    assert about(*lines, texts=texts)[0] == licence


@pytest.mark.parametrize(
    ("text", "licence"),
    [
        (MIT.upper(), "MIT"),
        ("# Apache License\n#  Version 2.0, January 2004", "Apache-2.0"),
        ("Mozilla Public License Version 2.0", "MPL-2.0"),
        (f"{BSD} … All advertising materials … Neither the name of", ""),
        ("All rights reserved.", ""),
        ("", ""),
    ],
)
def test_a_licence_is_known_by_its_phrase(text: str, licence: str) -> None:
    assert recognized(text) == licence


@pytest.mark.parametrize(
    ("text", "holder"),
    [
        ("Copyright (c) 2020 A B.", "2020 A B"),
        ("  copyright © 2015-2020, The Authors. All rights reserved.", "2015-2020, The Authors"),
        ("# Copyright 2018 The Team\n# Copyright 2018 The Team\nCopyright: 2019 C", "2018 The Team; 2019 C"),
        ("Copyright [yyyy] [name of copyright owner]", ""),
        ("Copyright {year} {name}", ""),
        ("Copyright notice and this text\ncopyright holders be liable\nthe copyright (c) of", ""),
        ("no word of it", ""),
    ],
)
def test_the_holder_is_in_the_line_of_the_copyright(text: str, holder: str) -> None:
    assert copyright_in([text]) == holder


@pytest.mark.parametrize(
    ("lines", "repository"),
    [
        (["Project-URL: Source, https://github.com/a/net/tree/main/x"], "https://github.com/a/net"),
        (
            ["Project-URL: Docs, https://github.com/a/docs", "Project-URL: Repository, https://gitlab.com/a/net.git"],
            "https://gitlab.com/a/net",
        ),
        (["Home-page: http://github.com/a/net/"], "https://github.com/a/net"),
        (["Home-page: https://github.com/a"], ""),
        (["Home-page: https://evil.example/github.com/a/net"], ""),
        ([], ""),
    ],
)
def test_the_repository_is_an_address_that_names_one(lines: list[str], repository: str) -> None:
    assert about(*lines)[2] == repository


def test_the_files_are_found_where_archives_have_them() -> None:
    wheel = [
        "net/a.py",
        "net/LICENSE",
        "net-1.dist-info/METADATA",
        "net-1.dist-info/LICENSE.txt",
        "net-1.dist-info/licenses/COPYING",
    ]
    assert metadata_name(wheel) == "net-1.dist-info/METADATA"
    assert licence_names(wheel, None) == ["net-1.dist-info/LICENSE.txt", "net-1.dist-info/licenses/COPYING"]
    stated = b"Metadata-Version: 2.4\nName: net\nVersion: 1\nLicense-File: COPYING\n"
    assert licence_names(wheel, stated) == ["net-1.dist-info/licenses/COPYING"]
    sdist = ["PKG-INFO", "net.egg-info/PKG-INFO", "LICENCE", "doc/LICENSE", "LICENSES.md", "src/net/a.py"]
    assert metadata_name(sdist) == "PKG-INFO"
    assert licence_names(sdist, None) == ["LICENCE"]
    assert metadata_name(["net/a.py"]) is None
    assert about_revision("https://git.example/a/net.git", [MIT]).title == "net"
