# From a clone of mopsim, with Spack 1.0 or newer:
#   spack repo create ~/mopsim-repo mopsim_repo
#   cp -r packaging/spack ~/mopsim-repo/spack_repo/mopsim_repo/packages/mopsim
#   spack repo add ~/mopsim-repo/spack_repo/mopsim_repo
#   spack external find rust      # else Spack compiles Rust
#   spack dev-build mopsim@main

from spack_repo.builtin.build_systems.cargo import CargoPackage

from spack.package import *


class Mopsim(CargoPackage):
    """Predicts how fast MPI applications run on an interconnect that nobody has built yet."""

    homepage = "https://crates.io/crates/mopsim"
    url = "https://static.crates.io/crates/mopsim/mopsim-0.1.0.crate"

    license("MIT OR Apache-2.0")

    # The clone of dev-build. A release adds: version("0.1.0", sha256="...", extension="tar.gz")
    version("main")

    variant("otf2", default=False, description="Read OTF2 archives")

    depends_on("c", type="build")
    depends_on("rust@1.89:", type="build")
    depends_on("otf2@3:", when="+otf2")

    sanity_check_is_file = ["bin/mopsim", "share/man/man1/mopsim.1"]

    @property
    def build_args(self):
        args = ["--locked", "--profile", "dist"]
        if self.spec.satisfies("+otf2"):
            args += ["--features", "libotf2"]
        return args

    def setup_build_environment(self, env: EnvironmentModifications) -> None:
        if self.spec.satisfies("+otf2"):
            env.set("OTF2_CONFIG", self.spec["otf2"].prefix.bin.join("otf2-config"))

    @run_after("install")
    def install_assets(self):
        with working_dir(self.stage.source_path):
            Executable("packaging/assets")(self.prefix.bin.mopsim, self.prefix)

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        Executable(self.prefix.bin.mopsim)("topology", "ring:4")
