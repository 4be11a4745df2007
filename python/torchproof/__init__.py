"""Checks ExecuTorch .pte and .ptd files, and tests the programs that read them."""
