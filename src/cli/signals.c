/* signals.c: a signal while files are written asks to stop, so that no half-written file stays. */
#include "cli.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>

static atomic_int caught; /* without a lock, so that handlers may set it and threads read it */
static struct sigaction before[3];
static const int held[3] = {SIGINT, SIGTERM, SIGPIPE};

/* The first one is remembered; SA_RESETHAND lets the second one kill. */
static void remember(int signal_number)
{
    atomic_store(&caught, signal_number);
}

void cli_signals_hold(void)
{
    for (int i = 0; i < 3; i++) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        sigemptyset(&action.sa_mask);
        action.sa_handler = held[i] == SIGPIPE ? SIG_IGN : remember;
        action.sa_flags = held[i] == SIGPIPE ? 0 : (int)SA_RESETHAND;
        sigaction(held[i], &action, &before[i]);
        if (before[i].sa_handler == SIG_IGN) { /* as under nohup: stays ignored */
            sigaction(held[i], &before[i], NULL);
        }
    }
}

void cli_signals_release(void)
{
    for (int i = 0; i < 3; i++) {
        sigaction(held[i], &before[i], NULL);
    }
}

int cli_signal(void)
{
    return atomic_load(&caught);
}
