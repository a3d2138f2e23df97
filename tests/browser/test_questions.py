"""The eight questions with which readers come: each answered from the home page in at most two clicks, in sight."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urljoin

import pytest
from playwright.sync_api import TimeoutError as Late
from playwright.sync_api import expect

Opener = Callable[..., Any]

MOST_CLICKS = 2

QUESTIONS = {
    "how many parameters, and where they sit": (
        [".home .cards h3 a >> text=GPT-2", ".toc a >> text=Where the parameters are"],
        ".budget",
        ["124,439,808", "45.5", "Causal self-attention"],
    ),
    "what differs between two models": (
        [".questions a >> text=Mixtral and GPT-2"],
        "[data-comparison]",
        ["Mixtral 8x7B", "GPT-2 124M", "Rotary positions", "Learned positions", "46,702,792,704", "124,439,808"],
    ),
    "where in the source this happens": (
        [".home .cards h3 a >> text=GPT-2", "svg.diagram a:has-text('Causal self-attention')"],
        "main",
        ["modeling_gpt2.py 76–112", "Release v5.24.0"],
    ),
    "what shape a tensor has here": (
        [".home .cards h3 a >> text=GPT-2", ".toc a >> text=Shapes"],
        ".shapes",
        ["decoder/self-attention", "[B,S,d]"],
    ),
    "how much cache tokens take": (
        [".questions div:has(dt:text('cache')) a >> text=GPT-2"],
        ".figures",
        ["Cached numbers per token", "18,432", "36,864 bytes"],
    ),
    "total and active parameters, and how they are obtained": (
        [".questions div:has(dt:text('one token meet')) a"],
        ".figures",
        ["46,702,792,704", "12,879,925,248", "of routed experts only those that it is sent to"],
    ),
    "which models use this operator": (
        [".questions a >> text=All operators", ".cards a >> text=Layer normalization"],
        ".family .users",
        ["GPT-2 · Decoder · LayerNorm", "Transformer · Encoder"],
    ),
    "whether it can be trusted": (
        [".questions a >> text=Every claim with its proof"],
        ".verification",
        ["recorded", "proved in this build", "not proved", "atlas verify"],
    ),
    "how to cite it": ([".questions a >> text=Cite"], "[data-copy=BibTeX]", ["@misc{", "author ="]),
}

UNSAID = """([place, answers]) => {
    // The letters of a formula stand in lines of their own.
    const text = document.querySelector(place)?.innerText ?? '', joined = text.replaceAll('\\n', '');
    return answers.filter(one => !text.includes(one) && !joined.includes(one));
}"""
"""The answers that are not in a place, once scripts have put them there."""


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_answered_within_two_clicks_of_the_home_page(visit: Opener, question: str) -> None:
    clicks, place, answers = QUESTIONS[question]
    assert len(clicks) <= MOST_CLICKS
    page = visit("/").page
    for click in clicks:
        link = page.locator(click).first
        target = urljoin(page.url, link.get_attribute("href") or "")
        link.click()
        page.wait_for_url(target, wait_until="load")
    answer = page.locator(place).first
    expect(answer).to_be_in_viewport()  # in sight, or it begins there
    try:
        page.wait_for_function(f"told => ({UNSAID})(told).length === 0", arg=[place, answers])
    except Late:
        assert page.evaluate(UNSAID, [place, answers]) == []
