//! **Puts readers of ExecuTorch files through the torchproof corpus.**
