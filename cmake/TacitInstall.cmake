# cmake --install puts the library, its headers and the command in place; find_package(Tacit) finds
# them again.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS tacit_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET tacit_train_program)
  install(TARGETS tacit_train_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(TARGETS tacit ${TACIT_MODULES} EXPORT TacitTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT TacitTargets NAMESPACE Tacit:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Tacit)
# Internal headers come along where public value types hold their parts; they are no interface.
install(DIRECTORY tacit DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "testing" EXCLUDE PATTERN "tacit/train" EXCLUDE)
# The engines' drivers, with their licences, where the command looks for them. A server of Spark's,
# which lies beside them where the tests are run, is no part of it.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/build/drivers/ DESTINATION lib/tacit/drivers
        PATTERN "include" EXCLUDE PATTERN "header" EXCLUDE PATTERN "spark-server" EXCLUDE
        REGEX "/[.][a-z-]+$" EXCLUDE)

configure_package_config_file(cmake/TacitConfig.cmake.in ${PROJECT_BINARY_DIR}/TacitConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Tacit)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TacitConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TacitConfig.cmake ${PROJECT_BINARY_DIR}/TacitConfigVersion.cmake
              cmake/FindGMP.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Tacit)
