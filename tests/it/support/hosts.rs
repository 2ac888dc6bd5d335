//! Emulated computers for launchers of MPI programs: network namespaces with a cable between them, names, and a shell
//! that does not pass on the environment, like `ssh`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Two hosts that see the same files.
pub struct TwoHosts {
    names: [String; 2],
    /// `shell HOST COMMAND...` runs a command there.
    pub shell: PathBuf,
}

/// Their addresses, which are valid between the two only.
pub const ADDRESSES: [&str; 2] = ["10.77.0.1", "10.77.0.2"];

impl TwoHosts {
    /// Creates them; `None` if that is not allowed (it takes root, and `ip` and `unshare`). The shell is a file in
    /// `folder`.
    pub fn new(folder: &Path) -> Option<Self> {
        let names = ["a", "b"].map(|host| format!("mopsim-{}-{host}", std::process::id()));
        let hosts = Self { names, shell: folder.join("shell") };
        let [a, b] = &hosts.names;
        let made = [
            format!("netns add {a}"),
            format!("netns add {b}"),
            format!("-n {a} link add cable type veth peer name cable netns {b}"),
            format!("-n {a} addr add {}/24 dev cable", ADDRESSES[0]),
            format!("-n {b} addr add {}/24 dev cable", ADDRESSES[1]),
            format!("-n {a} link set cable up"),
            format!("-n {b} link set cable up"),
            format!("-n {a} link set lo up"),
            format!("-n {b} link set lo up"),
        ];
        let runs = |mut command: Command| command.output().is_ok_and(|output| output.status.success());
        if !made.iter().all(|arguments| ip(arguments)) || !runs(hosts.command("true")) {
            return None;
        }
        let [first, second] = ADDRESSES;
        let script = format!(
            "#!/bin/sh\n\
             while case $1 in -*) true;; *) false;; esac; do shift; done\n\
             case $1 in {first}) host={a};; {second}) host={b};; *) exit 9;; esac\n\
             shift\n\
             exec ip netns exec $host unshare --uts sh -c 'hostname \"$0\" && exec env -i PATH=\"$PATH\" sh -c \"$*\"' $host \"$@\"\n"
        );
        fs::write(&hosts.shell, script).expect("a file is written");
        fs::set_permissions(&hosts.shell, fs::Permissions::from_mode(0o755)).expect("it can be run");
        Some(hosts)
    }

    /// Returns a command on the first of them, with the environment of this process.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.names[0], "unshare", "--uts"]);
        command.args(["sh", "-c", "hostname \"$0\" && exec \"$@\"", &self.names[0], program]);
        command
    }
}

impl Drop for TwoHosts {
    fn drop(&mut self) {
        for name in &self.names {
            ip(&format!("netns del {name}"));
        }
    }
}

fn ip(arguments: &str) -> bool {
    Command::new("ip").args(arguments.split(' ')).output().is_ok_and(|output| output.status.success())
}
