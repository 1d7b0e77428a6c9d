/* gl_reset.c: loaded before the command (LD_PRELOAD), stands for a driver whose device is reset by
 * another program after as many questions as GL_RESET_AFTER says. */
#include <epoxy/gl.h>

#include <stdlib.h>

static int left;

static GLenum APIENTRY tell(void)
{
    return left-- > 0 ? GL_NO_ERROR : GL_INNOCENT_CONTEXT_RESET;
}

__attribute__((constructor)) static void begin(void)
{
    const char *after = getenv("GL_RESET_AFTER");
    left = after ? atoi(after) : 0;
    epoxy_glGetGraphicsResetStatus = tell;
}
