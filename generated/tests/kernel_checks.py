"""What holds of every attention whose weights come from how far its keys are from a query."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from attention_checks import AttentionChecks, need_weights_or_not
from checks import array, assert_equals, calls_of_kernel, first


class KernelChecks(AttentionChecks):
    """Tests of an attention that takes queries from keys."""

    @need_weights_or_not
    def test_says_how_wide_queries_and_keys_are(self, need_weights: bool) -> None:
        query, key, value = self.inputs(2)
        wide = F.pad(query, (0, 1))
        message = f"queries have {wide.size(-1)} features, but keys {key.size(-1)}"
        with pytest.raises(ValueError, match=message):
            self.attention()(wide, key, value, need_weights=need_weights)


class DistanceChecks(KernelChecks):
    """Tests of an attention that sees nothing of queries and keys but their distances."""

    @need_weights_or_not
    def test_takes_distances_in_space(self, need_weights: bool) -> None:
        """In a larger space the distances are the same, however queries and keys lie there."""
        attention = self.attention()
        query, key, value = self.inputs(2)
        width = query.size(-1)
        plane = torch.linalg.qr(torch.randn(width + 2, width).double()).Q.mT
        output = first(attention(query @ plane, key @ plane, value, need_weights=need_weights))
        assert_equals(output, array(attention(query, key, value)))


class FusedDistanceChecks(DistanceChecks):
    """Tests of an attention on distances that torch's fused kernel computes."""

    def test_takes_some_heads_at_a_time(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """As many as 2²¹ numbers allow, of which each query and its key are 6 times as many."""
        attention, calls, heads = self.attention(), calls_of_kernel(monkeypatch), 2**21 // (6 * 8)
        query = torch.zeros(6 * heads - 3, 2, 4, dtype=torch.float64)
        attention(query, query[:, :1], query[:, :1])
        assert len(calls) == 6
        calls.clear()
        many = torch.zeros(2, 90_000, 4, dtype=torch.float64)  # those of a head stay together
        attention(many, many[:, :1], many[:, :1])
        assert [call.query.size(-2) for call in calls] == [90_000] * 2

    def test_has_room_for_many_keys_in_float16(self) -> None:
        """They add up to more than its largest number."""
        key, value = torch.full((8192, 1), 100.0).half(), torch.randn(8192, 3).half()
        masked = {"keep_mask": torch.arange(8192) < 8000}
        output = self.attention().half()(key[:1], key, value, **masked)
        expected = value[:8000].double().mean(dim=0, keepdim=True)
        torch.testing.assert_close(output.double(), expected, rtol=0, atol=2e-3)
