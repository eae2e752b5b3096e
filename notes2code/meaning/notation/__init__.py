"""notation: how names are written: their scripts, what binds indices, what everybody knows."""
