/* talk.c: passes messages to the caller and to the host. */
#include "session/internal.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

mrw_status mrwi_session_prefix(mrw_error *error, const char *what, mrw_status status)
{
    char safe[256], text[sizeof error->text];
    mrwi_base_escape(what, safe, sizeof safe);
    if (error && strncmp(error->text, safe, strlen(safe)) != 0) {
        snprintf(text, sizeof text, "%s", error->text);
        snprintf(error->text, sizeof error->text, "%s: %.*s", safe,
                 (int)(sizeof error->text - sizeof safe - 3), text);
    }
    return status;
}

/* Passes a text to the host, if it listens. The text holds names from files, so it is escaped. */
static void tell(void (*hear)(void *, const char *), void *user, const char *text)
{
    char safe[1024];
    if (hear) {
        hear(user, mrwi_base_escape(text, safe, sizeof safe));
    }
}

void mrwi_session_warn(const mrw_session_host *host, const char *text)
{
    if (host) {
        tell(host->warning, host->user, text);
    }
}

void mrwi_session_note(const mrw_session_host *host, const char *text)
{
    if (host) {
        tell(host->note, host->user, text);
    }
}

void mrwi_session_detail(const mrw_session_host *host, const char *text)
{
    if (host) {
        tell(host->detail, host->user, text);
    }
}
