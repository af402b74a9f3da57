# What the library links: AMD (BSD), Qhull (BSD-like); jsmn (MIT) is a header. What the program links besides: libpng and libjpeg (BSD-like). EGL and OpenGL ES 3
# it loads at run time (src/render/gl.c), and only their headers are needed here. All from system
# packages.
find_path(AMD_INCLUDE amd.h PATH_SUFFIXES suitesparse REQUIRED)
find_library(AMD_LIBRARY amd REQUIRED)
find_library(SUITESPARSECONFIG_LIBRARY suitesparseconfig REQUIRED)
add_library(dep_amd INTERFACE)
target_include_directories(dep_amd SYSTEM INTERFACE ${AMD_INCLUDE})
target_link_libraries(dep_amd INTERFACE ${AMD_LIBRARY} ${SUITESPARSECONFIG_LIBRARY})

find_path(QHULL_INCLUDE libqhull_r/libqhull_r.h REQUIRED)
find_library(QHULL_LIBRARY NAMES qhull_r REQUIRED)
add_library(dep_qhull INTERFACE)
target_include_directories(dep_qhull SYSTEM INTERFACE ${QHULL_INCLUDE})
target_link_libraries(dep_qhull INTERFACE ${QHULL_LIBRARY})

find_path(JSMN_INCLUDE jsmn.h REQUIRED)
add_library(dep_jsmn INTERFACE)
target_include_directories(dep_jsmn SYSTEM INTERFACE ${JSMN_INCLUDE})

add_library(dep_threads INTERFACE)
if(NOT SINEW_WASM) # which has no threads, and draws nothing
  set(THREADS_PREFER_PTHREAD_FLAG ON)
  find_package(Threads REQUIRED)
  find_package(PNG REQUIRED)
  find_package(JPEG REQUIRED)
  find_path(EGL_INCLUDE EGL/eglext.h REQUIRED)
  find_path(GLES_INCLUDE GLES3/gl3.h REQUIRED)
  add_library(dep_egl INTERFACE)
  target_include_directories(dep_egl SYSTEM INTERFACE ${EGL_INCLUDE} ${GLES_INCLUDE})
  target_link_libraries(dep_egl INTERFACE ${CMAKE_DL_LIBS})
  target_link_libraries(dep_threads INTERFACE Threads::Threads)
endif()

set(SINEW_LINK_LIBRARIES dep_amd dep_qhull dep_jsmn dep_threads)
