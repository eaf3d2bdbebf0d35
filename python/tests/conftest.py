"""What all tests share: Ctrl-C raises, also in a job in the background, which shells have ignore it."""
import signal

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
