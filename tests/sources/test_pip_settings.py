from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from atlas.sources import pip_settings
from atlas.sources.pip_settings import PipSettings, locations, parse_config_list, read_pip_settings, settings_from

LISTED = r"""global.cert='/etc/company.pem'
global.extra-index-url='https://one.example/simple\nfile:///srv/simple'
global.find-links='/srv/wheels'
global.timeout='60'
install.index-url='https://install.example/simple'
install.trusted-host='one.example two.example:8080'
download.index-url='https://download.example/simple'
freeze.timeout='1'
list.format='json'
global.damaged='unfinished
:env:.find-links='https://pages.example/list.html ~/wheels'
:env:.no-index='false'
:env:.proxy=''
"""


def test_what_pip_lists_is_read_with_the_environment_before_sections_before_global() -> None:
    settings = settings_from(parse_config_list(LISTED))
    assert settings.index_url == "https://download.example/simple"
    assert settings.extra_index_urls == ("https://one.example/simple", "file:///srv/simple")
    assert settings.find_links == ("https://pages.example/list.html", str(Path("~/wheels").expanduser()))
    assert settings.trusted_hosts == ("one.example", "two.example:8080")
    assert settings.cert == "/etc/company.pem"
    assert (settings.timeout, settings.no_index, settings.proxy) == (60.0, False, None)


def test_pip_itself_is_asked(no_pip_settings: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    config = tmp_path / "pip.conf"
    config.write_text("[global]\nextra-index-url =\n    https://one.example/simple\n    https://two.example/simple\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(config))
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CERT", "/etc/company.pem")
    (tmp_path / "pip.py").write_text("raise SystemExit('a pip.py of the current directory was run')\n")
    monkeypatch.chdir(tmp_path)
    settings = read_pip_settings()
    assert settings.extra_index_urls == ("https://one.example/simple", "https://two.example/simple")
    assert (settings.find_links, settings.no_index, settings.cert) == ((str(tmp_path),), True, "/etc/company.pem")


def test_without_pip_the_environment_counts(no_pip_settings: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", "https://mirror.example/simple")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "https://a.example/simple  https://b.example/simple")
    monkeypatch.setenv("PIP_TRUSTED_HOST", "a.example")
    monkeypatch.setenv("PIP_DEFAULT_TIMEOUT", "180")
    assert read_pip_settings() == PipSettings(
        index_url="https://mirror.example/simple",
        extra_index_urls=("https://a.example/simple", "https://b.example/simple"),
        trusted_hosts=("a.example",),
        timeout=180.0,
    )


def test_the_certificates_of_other_tools_count_where_pip_names_none(
    no_pip_settings: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CURL_CA_BUNDLE", "/etc/curl.pem")
    assert settings_from({}).cert == "/etc/curl.pem"
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/etc/requests.pem")
    assert settings_from({}).cert == "/etc/requests.pem"
    assert settings_from({"cert": "/etc/pip.pem"}).cert == "/etc/pip.pem"


def test_near_places_come_first_and_no_index_leaves_only_them() -> None:
    settings = PipSettings(extra_index_urls=("https://extra.example",), find_links=("/srv/wheels",))
    assert list(locations(settings, "https://default.example")) == [
        ("/srv/wheels", False),
        ("https://default.example", True),
        ("https://extra.example", True),
    ]
    closed = PipSettings(index_url="https://own.example", find_links=("/srv/wheels",), no_index=True)
    assert list(locations(closed, "https://default.example")) == [("/srv/wheels", False)]


@pytest.mark.parametrize(("text", "seconds"), [(None, 15.0), ("2.5", 2.5), ("0", 1.0), ("soon", 15.0)])
def test_timeouts_are_seconds(text: str | None, seconds: float) -> None:
    assert pip_settings.settings_from({} if text is None else {"timeout": text}).timeout == seconds
