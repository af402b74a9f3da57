// A user's program: the installed headers and library, and nothing else of the project.
#include <sinew/sinew.h>
#include <stdio.h>

int main(void)
{
    snContext context = snDefaultContext();
    void *memory = context.allocator.allocate(context.allocator.user, 64);
    context.allocator.release(context.allocator.user, memory);
    snVersion version = snGetVersion();
    if (version.abi != SN_ABI_VERSION || version.major != SN_VERSION_MAJOR) return 1;
    printf("sinew %d.%d: %s\n", SN_VERSION_MAJOR, SN_VERSION_MINOR, snStatus_Name(SN_ERROR_FILE));
    return memory == NULL;
}
