/* lsan_roots.c: linked into programs with AddressSanitizer, so that its leak check takes a quarter
 * of the time. By itself the check also reads the sanitizer's own 10 MB of globals, page by page,
 * at each end of a process; nothing of ours is reachable from there alone. Here globals are left
 * out, and those of every module but the sanitizer's are roots instead. The runtime must be a
 * module of its own
 * (-shared-libasan). */
#include <link.h>
#include <sanitizer/lsan_interface.h>
#include <string.h>

__attribute__((visibility("default"))) const char *__lsan_default_options(void);

const char *__lsan_default_options(void)
{
    return "use_globals=0";
}

static int add_roots(struct dl_phdr_info *module, size_t size, void *user)
{
    (void)size, (void)user;
    if (strstr(module->dlpi_name, "libclang_rt.asan")) {
        return 0;
    }
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &module->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && (part->p_flags & PF_W) != 0) {
            /* addresses come as numbers */
            char *start = (char *)(module->dlpi_addr + part->p_vaddr);
            __lsan_register_root_region(start, part->p_memsz);
        }
    }
    return 0;
}

/* Runs before the leak check, which was registered first, and sees modules that were loaded late.
 */
__attribute__((destructor)) static void register_roots(void)
{
    dl_iterate_phdr(add_roots, NULL);
}
