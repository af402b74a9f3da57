// The public headers in C++, all together; install_test.sh compiles each by itself too.
#include <sinew/world.h>

#include <sinew/actor.h>
#include <sinew/base.h>
#include <sinew/character.h>
#include <sinew/crowd.h>
#include <sinew/sinew.h>
#include <sinew/solver.h>
#include <iostream>

int main()
{
    snContext context = snDefaultContext();
    snCrowdDef def = snDefaultCrowdDef();
    snWorld *world = nullptr;
    snError error = {SN_OK, ""};
    snStatus status = snWorld_Load(&world, "{", 1, nullptr, &context, &error);
    std::cout << "sinew " << SN_VERSION_MAJOR << "." << SN_VERSION_MINOR << ": "
              << snStatus_Name(SN_ERROR_FILE) << "\n";
    return def.members != 1 || status != SN_ERROR_FORMAT || world != nullptr;
}
