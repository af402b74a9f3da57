# make install: the program, the library, its headers, a pkg-config file and a CMake package. The two
# descriptions find their own place at use, so the installed folder may be moved; what the library
# needs from others is looked for on the user's machine.
include(CMakePackageConfigHelpers)

# `program` is what plain `make` builds: the library, and all that is made in src/cli.
get_property(cli_targets DIRECTORY src/cli PROPERTY BUILDSYSTEM_TARGETS)
add_custom_target(program DEPENDS sinew sinew_shared ${cli_targets})

install(PROGRAMS ${PROJECT_BINARY_DIR}/sinew DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS sinew sinew_shared ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/sinew DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

# Qhull's static library is preferred where there is one: a program that links it needs no Qhull on
# the machine it runs on.
find_library(QHULL_STATIC_LIBRARY qhullstatic_r)
if(QHULL_STATIC_LIBRARY)
  set(installed_libraries ${QHULL_STATIC_LIBRARY})
else()
  set(installed_libraries ${QHULL_LIBRARY})
endif()
list(APPEND installed_libraries ${AMD_LIBRARY} ${SUITESPARSECONFIG_LIBRARY})

# /usr/lib/x86_64-linux-gnu/libamd.so becomes -lamd, with -L when the linker would not look there.
# Who links the shared library needs none of them, who links the static one all: Libs.private.
set(SINEW_PC_LIBS "")
foreach(path IN LISTS installed_libraries)
  get_filename_component(folder ${path} DIRECTORY)
  if(NOT folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
    string(APPEND SINEW_PC_LIBS " -L${folder}")
  endif()
  get_filename_component(name ${path} NAME_WE)
  string(REGEX REPLACE "^lib" "" name ${name})
  string(APPEND SINEW_PC_LIBS " -l${name}")
endforeach()
string(APPEND SINEW_PC_LIBS " -lpthread -lm")

set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH SINEW_PC_UP /prefix/${pkgconfig_dir} /prefix)
configure_file(cmake/sinew.pc.in ${PROJECT_BINARY_DIR}/sinew.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/sinew.pc DESTINATION ${pkgconfig_dir})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)
configure_package_config_file(cmake/sinew-config.cmake.in ${PROJECT_BINARY_DIR}/sinew-config.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sinew-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sinew-config.cmake ${PROJECT_BINARY_DIR}/sinew-config-version.cmake
  DESTINATION ${package_dir})

if(SINEW_TESTS)
  add_subdirectory(tests/install)
endif()
