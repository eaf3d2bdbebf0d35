# find_package(sos) gives sos::sos and sos::s3svm, shared, and sos::sos_static and sos::s3svm_static.
include(${CMAKE_CURRENT_LIST_DIR}/sos-targets.cmake)
