"""Models that the transformers library loads: the only place that sees torch (extra ``lm``)."""
