"""The protocol and the process. Programs import from `heddle_rpc`; what is here may change."""
