/** Ways out of the sandbox, each as a line of shell that prints ESCAPED where it gets out. None writes a file of the machine. */
import type { Ground } from "./Ground.ts"
import { canary } from "./Ground.ts"

export interface Attempt {
  readonly name: string
  readonly script: string
  /** Runs in a command of its own before. */
  readonly first?: string
  /** False where it would do harm without the sandbox, or needs more than a shell to show that it works. */
  readonly isShown?: false
}

export interface Surroundings extends Ground {
  /** Of heddle itself. */
  readonly pid: number
  /** Where something is in its memory. */
  readonly memory: string
  readonly bun: string
  readonly probe: string
}

/** Opens a file that is there for writing, and writes nothing. */
const opens = (path: string) => `( : >> ${path} ) 2>/dev/null && echo "ESCAPED opened"`
/** Makes a file that is not there, in a folder that is thrown away. */
const makes = (path: string) => `( : > ${path} ) 2>/dev/null && echo "ESCAPED made"`
const does = (command: string) => `${command} 2>/dev/null && echo "ESCAPED done"`
const shows = (command: string, text = canary) => `${command} 2>/dev/null | grep -q ${text} && echo "ESCAPED seen"`

const named = (isShown: boolean, scripts: Readonly<Record<string, string>>): ReadonlyArray<Attempt> =>
  Object.entries(scripts).map(([name, script]) => ({ name, script, ...(isShown ? {} : { isShown: false as const }) }))

const files = ({ agentDir, home, outside }: Surroundings) => [
  ...named(true, {
    "write outside": opens(`${outside}/file`),
    "write through a link": opens("to-file"),
    "write below a link": opens("to-folder/file"),
    "write through a new link": `ln -sf ${outside}/file new-link; ${opens("new-link")}; rm -f new-link`,
    "write through a hard link": `ln ${outside}/file hard 2>/dev/null && ${opens("hard")}; rm -f hard`,
    "write through /proc/self/root": opens(`/proc/self/root${outside}/file`),
    "write through /proc/self/cwd": opens(`/proc/self/cwd/../../outside/file`),
    "write with dots": opens(`../../outside/file`),
    "move a file out": `touch x; mv x ${outside}/x 2>/dev/null && rm ${outside}/x && echo "ESCAPED moved"; rm -f x`,
    "delete outside": does(`rmdir ${outside}/nothing || ( mkdir ${outside}/nothing && rmdir ${outside}/nothing )`),
    "change the mode outside": does(`chmod 644 ${outside}/file`),
    "change the time outside": does(`touch -c ${outside}/file`),
    "plant in .bashrc": opens(`${home}/.bashrc`),
    "plant in .profile": opens(`${home}/.profile`),
    "plant in the git configuration": opens(`${home}/.gitconfig`),
    "plant in .config/git": opens(`${home}/.config/git/config`),
    "plant a program on the PATH": opens(`${home}/.local/bin/tool`),
    "plant in the agent folder": makes(`${agentDir}/settings.json`),
    "change keys of heddle": opens(`${agentDir}/auth.json`)
  }),
  ...named(false, {
    "plant for every program": opens("/etc/ld.so.preload 2>/dev/null || : >> /etc/passwd"),
    "write /etc": opens("/etc/hosts"),
    "write through /proc/1/root": `${opens(`/proc/1/root${outside}/file`)}; ${opens("/proc/1/root/etc/hosts")}`,
    "open the disk": `for d in /dev/sd? /dev/vd? /dev/nvme?n1; do [ -e $d ] && ${opens("$d")}; done`,
    "make a device": `mknod disk b 8 0 2>/dev/null && echo "ESCAPED made"; rm -f disk`,
    "open the memory": `${opens("/dev/mem")}; ${opens("/dev/kmsg")}; ${opens("/dev/port")}`
  })
]

const kernel = () =>
  named(false, {
    core_pattern: opens("/proc/sys/kernel/core_pattern"),
    modprobe: opens("/proc/sys/kernel/modprobe"),
    sysrq: opens("/proc/sysrq-trigger"),
    drop_caches: opens("/proc/sys/vm/drop_caches"),
    pressure: opens("/proc/pressure/memory"),
    uevent_helper: `${opens("/sys/kernel/uevent_helper")}; ${opens("/sys/power/state")}`,
    cgroups: `for f in /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/*/release_agent; do [ -e $f ] && ${opens("$f")}; done`,
    remount: does("mount -o remount,rw,bind /"),
    "mount over": does("mount -t tmpfs none /mnt"),
    "bind a folder elsewhere": does("mkdir -p b && mount --bind /etc b"),
    "unmount .git": does("umount .git"),
    "unmount secrets": does("umount ~/.ssh"),
    "unmount lazily": does("umount -l /run"),
    "user namespace": does("unshare -Ur true"),
    "user namespace, then remount": does("unshare -Urm mount -o remount,rw,bind /"),
    "mount namespace": does("unshare -m true"),
    "join namespaces": does("nsenter -t 1 -m -n true && nsenter -t $PPID -m true"),
    chroot: does("chroot / true"),
    "a sandbox inside": does("bwrap --bind / / true"),
    capabilities: `grep -q 'CapEff:.*[1-9a-f]' /proc/self/status && echo "ESCAPED capabilities"`,
    "rights of programs": `grep -q 'NoNewPrivs:.*0' /proc/self/status && echo "ESCAPED may gain rights"`,
    sudo: does("sudo -n true || su -c true")
  })

const repositories = () => [
  ...named(true, {
    "configuration of .git": opens(".git/config"),
    "hook in .git": makes(".git/hooks/planted"),
    "hook through /proc": makes("/proc/self/cwd/.git/hooks/planted"),
    "move .git": does("mv .git moved && mv moved .git"),
    "replace .git by a link": does("mv .git moved && ln -s moved .git && rm .git && mv moved .git"),
    "delete in .git": does("mv .git/description .git/gone && mv .git/gone .git/description"),
    "hard link into .git": `ln .git/config linked-config 2>/dev/null && ${opens("linked-config")}; rm -f linked-config`,
    commit: does("git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x"),
    "nested repository": opens("sub/.git/config"),
    "move a nested repository": `mv sub sub2 && ${opens("sub2/.git/config")}; mv sub2 sub`,
    ".git as a file": opens("apart/.git"),
    "replace .git as a file": does("mv apart/.git apart/g && mv apart/g apart/.git"),
    "what .git as a file leads to": opens("store/config"),
    ".git of a worktree": opens("tree/.git"),
    "what a worktree leads to": opens(".git/worktrees/tree/HEAD"),
    ".git as a link": does("mv linked/.git linked/g && mv linked/g linked/.git"),
    "what .git as a link leads to": opens("linked/.git/config"),
    "what a file .git will lead to": `mkdir -p to-come && ${makes("to-come/config")}; rm -rf to-come`,
    "bare repository": opens("bare.git/config"),
    "settings of heddle": `mkdir -p .heddle && ${makes(".heddle/settings.json")}; rm -rf .heddle/settings.json`,
    "extensions of heddle": `mkdir -p .heddle/extensions && echo "ESCAPED made"; rm -rf .heddle/extensions`,
    "extensions of pi": `mkdir -p .pi/extensions && echo "ESCAPED made"; rm -rf .pi/extensions`
  }),
  { name: "hook of a new repository", first: "git init -q fresh", script: makes("fresh/.git/hooks/planted") },
  { name: "a new repository, moved", first: "git init -q f1", script: `mv f1 f2; ${makes("f2/.git/hooks/planted")}` },
  { name: "a new bare repository", first: "git init -q --bare fresh.git", script: opens("fresh.git/config") }
]

const secrets = ({ agentDir, home, root }: Surroundings) => [
  ...named(true, {
    "ssh keys": shows(`cat ${home}/.ssh/id_rsa`),
    "ssh keys through a link": shows("cat to-secret/id_rsa"),
    "ssh keys through /proc": shows(`cat /proc/self/root${home}/.ssh/id_rsa`),
    "ssh keys by a hard link": `ln ${home}/.ssh/id_rsa key 2>/dev/null && ${shows("cat key")}; rm -f key`,
    "keys of clouds": shows(`cat ${home}/.aws/credentials ${home}/.azure/token ${home}/.config/gcloud/credentials.db`),
    "keys of clusters": shows(`cat ${home}/.kube/config ${home}/.docker/config.json`),
    "passwords for hosts": shows(`cat ${home}/.netrc ${home}/.git-credentials`),
    "tokens of registries": shows(`cat ${home}/.npmrc ${home}/.pypirc ${home}/.config/gh/hosts.yml`),
    "keys of heddle": shows(`cat ${agentDir}/auth.json ${agentDir}/models.json`),
    "sessions of heddle": shows(`cat ${agentDir}/sessions/one.jsonl`),
    "hidden by a setting": shows(`cat ${root}/hidden/file`),
    "secrets in the environment": shows("env"),
    "agents in the environment": `env | grep -qE '^(SSH_AUTH_SOCK|DBUS_|DOCKER_)' && echo "ESCAPED seen"`,
    "variables of git": `env | grep -qE '^GIT_(DIR|WORK_TREE|INDEX_FILE|SSH_COMMAND)=' && echo "ESCAPED seen"`
  }),
  ...named(false, {
    "sockets of services": `[ -n "$(ls -A /run)" ] && echo "ESCAPED seen"`,
    "temporary files of others": `[ "$(ls -A /tmp /var/tmp /dev/shm | grep -vE '^/|^$|^\\.' | wc -l)" -gt 0 ] && echo "ESCAPED seen"`
  })
]

const processes = ({ bun, memory, pid, probe }: Surroundings) => {
  const asks = (name: string, argument: string | number = "") => `${bun} ${probe} ${name} ${argument}`
  return [
    ...named(true, {
      "signal to heddle": does(`kill -0 ${pid}`),
      "environment of heddle": `( exec 3< /proc/${pid}/environ ) 2>/dev/null && echo "ESCAPED opened"`,
      "folders of heddle": does(`ls /proc/${pid}/cwd/`),
      "other processes": `[ "$(ls -d /proc/[0-9]* | wc -l)" -gt 12 ] && echo "ESCAPED seen"`,
      "handle of heddle": asks("pidfd", pid),
      "limits of heddle": asks("limits", pid),
      "tmp survives": `[ -e /tmp/torture-left ] && echo "ESCAPED seen"; touch /tmp/torture-left; true`
    }),
    ...named(false, {
      "memory of heddle": `( : >> /proc/${pid}/mem ) 2>/dev/null && echo "ESCAPED opened"`,
      "ptrace of heddle": asks("ptrace", pid),
      "read memory of heddle": asks("read_memory", `${pid} ${memory}`),
      descriptors: `for n in $(seq 3 64); do [ -e /proc/self/fd/$n ] && echo "ESCAPED open $n"; done`,
      terminal: `( : < /dev/tty ) 2>/dev/null && echo "ESCAPED opened"`,
      "type into a terminal": asks("typing"),
      "user namespace by the kernel": asks("user_namespace"),
      "mount namespace by the kernel": asks("mount_namespace"),
      "mount by the kernel": asks("mount"),
      "remount by the kernel": asks("remount"),
      pivot_root: asks("pivot"),
      "files by their handle": asks("handle"),
      "new mounts": `${asks("new_mount")}; ${asks("clone_mount")}`,
      modules: asks("module"),
      "the second way to call": asks("x32"),
      setsid: "setsid sh -c 'exec -a heddle-survivor sleep 60' & true",
      "double fork": "( ( setsid bash -c 'exec -a heddle-survivor sleep 60' & ) & ) ; true",
      nohup: "nohup bash -c 'exec -a heddle-survivor sleep 60' >/dev/null 2>&1 & disown; true"
    })
  ]
}

const sockets = ({ abstract, address, bun, port, probe, socket, udp }: Surroundings) => {
  const asks = (name: string) => `${bun} ${probe} ${name}`
  const connects = (to: string) =>
    `${bun} -e 'require("node:net").connect(${to}).on("connect", () => { console.log("ESCAPED connected"); process.exit() }).on("error", () => process.exit())'`
  return {
    always: [
      ...named(true, {
        "Unix socket by path": connects(`{ path: "${socket}" }`),
        "abstract socket": connects(`{ path: "\\0${abstract}" }`),
        "Unix socket": asks("unix_stream"),
        "Unix datagrams": asks("unix_datagram"),
        "Unix socket with high bits": asks("unix_high_bits"),
        "pair of datagram sockets": asks("pair_datagram"),
        "pair with flags": asks("pair_datagram_flags")
      }),
      ...named(false, {
        docker: shows("curl -s --unix-socket /var/run/docker.sock http://x/version", "Version"),
        "sockets of machines": asks("vsock"),
        packets: asks("packet"),
        "raw sockets": asks("raw"),
        "ciphers of the kernel": asks("alg"),
        io_uring: asks("io_uring_setup"),
        io_uring_register: asks("io_uring_register"),
        keyring: asks("keyctl"),
        "keyring of the session": asks("keyring_of_session"),
        "add a key": asks("add_key"),
        "ask for a key": asks("request_key")
      })
    ],
    withoutNetwork: named(true, {
      loopback: shows(`( exec 3<>/dev/tcp/${address}/${port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3 )`),
      "loopback by name": shows(
        `( exec 3<>/dev/tcp/localhost/${port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3 )`
      ),
      "loopback 6": shows(`( exec 3<>/dev/tcp/::1/${port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3 )`),
      UDP: shows(`( exec 3<>/dev/udp/${address}/${udp} && printf x >&3 && timeout 1 head -c 6 <&3 )`, "canary")
    })
  }
}

const room = () =>
  named(false, {
    "fill /tmp": does("head -c 20000000 /dev/zero > /tmp/full"),
    "fill /var/tmp": does("head -c 20000000 /dev/zero > /var/tmp/full"),
    "fill /dev/shm": does("head -c 20000000 /dev/zero > /dev/shm/full"),
    "fill /dev": does("head -c 20000000 /dev/zero > /dev/full-of-it"),
    "fill /run": does("head -c 20000000 /dev/zero > /run/full"),
    "fill a hidden folder": does("head -c 20000000 /dev/zero > ~/.ssh/full")
  })

export const all = (around: Surroundings): ReadonlyArray<Attempt> => [
  ...files(around),
  ...kernel(),
  ...repositories(),
  ...secrets(around),
  ...processes(around),
  ...sockets(around).always,
  ...sockets(around).withoutNetwork,
  ...room()
]

/** Those that must not get out with the network on either. */
export const withNetwork = (around: Surroundings): ReadonlyArray<Attempt> => sockets(around).always
