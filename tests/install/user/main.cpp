// The public headers in C++.
#include <sinew/sinew.h>
#include <iostream>

int main()
{
    snContext context = snDefaultContext();
    std::cout << "sinew " << SN_VERSION_MAJOR << "." << SN_VERSION_MINOR << ": "
              << snStatus_Name(SN_ERROR_FILE) << "\n";
    return context.allocator.allocate == nullptr;
}
