# find_package(sos) gives sos::sos (shared) and sos::sos_static.
include(${CMAKE_CURRENT_LIST_DIR}/sos-targets.cmake)
