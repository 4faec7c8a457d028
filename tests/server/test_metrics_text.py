"""Counters: one process, many processes, and the text that Prometheus reads."""

import re

from inktex.server.metrics import Metrics, SharedMetrics


def value(text: str, name: str) -> float:
    found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
    assert found, f"{name} is not in\n{text}"
    return float(found[1])


def test_requests_are_counted_by_endpoint_and_status() -> None:
    metrics = Metrics(SharedMetrics(1))
    metrics.request("recognize", 200, 0.03)
    metrics.request("recognize", 200, 0.3)
    metrics.request("recognize", 503, 0.001)
    metrics.request("recognize", 418, 0.001)
    text = metrics.render()
    assert value(text, 'inktex_requests_total{endpoint="recognize",status="200"}') == 2
    assert value(text, 'inktex_requests_total{endpoint="recognize",status="503"}') == 1
    assert value(text, 'inktex_requests_total{endpoint="recognize",status="other"}') == 1
    assert value(text, 'inktex_request_seconds_bucket{endpoint="recognize",le="0.05"}') == 3
    assert value(text, 'inktex_request_seconds_bucket{endpoint="recognize",le="+Inf"}') == 4
    assert value(text, 'inktex_request_seconds_count{endpoint="recognize"}') == 4
    assert abs(value(text, 'inktex_request_seconds_sum{endpoint="recognize"}') - 0.332) < 1e-9


def test_every_line_is_what_prometheus_reads() -> None:
    metrics = Metrics(SharedMetrics(3))
    metrics.recognition(0.02, 5)
    metrics.request("page", 304, 0.001)
    line = re.compile(
        r'(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? [-+0-9.eInf]+)'
    )
    for text in metrics.render().splitlines():
        assert line.fullmatch(text), text
    assert value(metrics.render(), "process_resident_memory_bytes") > 1e6


def test_a_process_that_takes_a_place_goes_on_counting() -> None:
    shared = SharedMetrics(1)
    first = Metrics(shared)
    first.add("answers", 5)
    first.put("sessions", 3)
    second = Metrics(shared)  # the same place, as after a restart
    assert second.value("answers") == 5
    assert second.value("sessions") == 0
