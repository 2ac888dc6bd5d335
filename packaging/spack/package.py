# Put this folder into a Spack repository as packages/mopsim, or use it as it is:
#   spack repo create my-repo && cp -r packaging/spack my-repo/packages/mopsim && spack repo add my-repo && spack install mopsim
# `spack dev-build mopsim@main` builds a clone of the repository.

from spack.package import *

try:
    # Spack 1.0 keeps the build systems with the packages.
    from spack_repo.builtin.build_systems.cargo import CargoPackage
except ImportError:
    pass


class Mopsim(CargoPackage):
    """Predicts how fast MPI applications run on an interconnect that nobody has built yet."""

    homepage = "https://crates.io/crates/mopsim"
    url = "https://static.crates.io/crates/mopsim/mopsim-0.1.0.crate"

    license("MIT OR Apache-2.0")

    # A clone, for dev-build. A release adds: version("0.1.0", sha256="...", extension="tar.gz")
    version("main")

    variant("otf2", default=False, description="Read OTF2 archives")

    depends_on("c", type="build")
    depends_on("rust@1.89:", type="build")
    depends_on("otf2@3:", when="+otf2")

    @property
    def build_args(self):
        args = ["--locked", "--profile", "dist"]
        if self.spec.satisfies("+otf2"):
            args += ["--features", "libotf2"]
        return args

    def setup_build_environment(self, env):
        if self.spec.satisfies("+otf2"):
            env.set("OTF2_CONFIG", self.spec["otf2"].prefix.bin.join("otf2-config"))

    @run_after("install")
    def install_assets(self):
        assets = Executable("packaging/assets")
        assets(self.prefix.bin.mopsim, self.prefix)

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        Executable(self.prefix.bin.mopsim)("topology", "ring:4")
