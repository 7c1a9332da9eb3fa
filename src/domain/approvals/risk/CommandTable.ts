/** The codes of each program, by its name and its words. A program that stands in no row runs code that nobody knows. */
import { gitSubcommandAt } from "../shell/Programs.ts"
import type { RiskCode } from "./Codes.ts"

interface Row {
  /** Names of programs; of git and package managers with their subcommand: `git push`. */
  readonly names: string
  /** The row holds only if some word, or two behind each other, match. */
  readonly when?: RegExp
  readonly codes: ReadonlyArray<RiskCode>
}

const rows: ReadonlyArray<Row> = [
  // Harmless: they read what they are given, and print.
  {
    names:
      "ls cat head tail wc grep egrep fgrep zgrep rg ag find tree stat file du df pwd cd echo printf true false : test [ date cal whoami id groups uname which type basename dirname realpath readlink sort uniq cut tr nl tac rev column fold fmt paste join comm cmp diff cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum sum od xxd hexdump strings seq expr sleep jq sed nproc free uptime ps pgrep tput locale exit return break continue set shift wait pushd popd dirs umask times read let unset export declare typeset local readonly getopts mapfile readarray command builtin time nice timeout fd fdfind",
    codes: []
  },
  {
    names:
      "git|status git|log git|diff git|show git|ls-files git|ls-tree git|rev-parse git|rev-list git|describe git|blame git|grep git|shortlog git|cat-file git|for-each-ref git|merge-base git|name-rev git|whatchanged git|count-objects git|check-ignore git|show-ref git|version git|help git|diff-tree git|branch git|tag git|remote git|reflog git|config git|",
    codes: []
  },
  {
    names:
      "npm|ls npm|list npm|root npm|prefix npm|help pnpm|list pip|list pip|show pip|freeze pip3|list cargo|tree cargo|metadata go|version go|env",
    codes: []
  },

  { names: "rm rmdir unlink shred srm wipe trash git|clean git|rm", codes: ["deletes_files"] },
  { names: "find", when: /^-delete$/, codes: ["deletes_files"] },
  { names: "find", when: /^-(fprint|fls)/, codes: ["writes_files"] },
  { names: "find fd fdfind", when: /^-(exec|ok|[a-zA-Z]*[xX]$|-exec)/, codes: ["runs_code"] },

  {
    names:
      "cp mv install ln mkdir mkfifo touch tee dd truncate chmod chgrp patch split csplit tar unzip gunzip gzip zip xz unxz bzip2 bunzip2 zstd 7z rsync scp sftp ed ex sponge",
    codes: ["writes_files"]
  },
  { names: "sed", when: /^(-[a-zA-Z]*i|--in-place)/, codes: ["writes_files"] },
  { names: "sort tree uniq", when: /^(-[a-z]*o|--output)/, codes: ["writes_files"] },
  { names: "xxd", when: /^-[a-z]*r/, codes: ["writes_files"] },
  { names: "xxd uniq", when: /^[^-]\S* [^-]/, codes: ["writes_files"] },
  { names: "rg", when: /^--pre(=|$)/, codes: ["runs_code"] },
  {
    names:
      "git|add git|commit git|checkout git|switch git|restore git|merge git|cherry-pick git|revert git|apply git|am git|mv git|init git|worktree git|reset git|notes git|sparse-checkout git|format-patch git|archive git|bundle git|gc git|fetch git|pull git|clone git|submodule git|rebase git|update-index git|update-ref git|replace git|filter-branch git|filter-repo",
    codes: ["writes_files"]
  },
  { names: "git|diff git|log git|show", when: /^--output/, codes: ["writes_files"] },
  { names: "git|stash", when: /^(list|show)$/, codes: [] },
  { names: "git|stash", when: /^(stash ($|-)|(push|pop|apply|save|store|create|branch)$)/, codes: ["writes_files"] },
  { names: "git|remote", when: /^(add|remove|rm|rename|set-.*|prune|update)$/, codes: ["settings"] },
  {
    names: "git|config",
    when: /^(--(add|unset|unset-all|replace-all|edit|rename-section|remove-section)|-e|set|unset|edit)$/,
    codes: ["settings"]
  },
  { names: "git|config", when: /^[^- ]\S*\.\S+ [^-]/, codes: ["settings"] },
  {
    names: "git|branch",
    when: /^(-[a-zA-Z]*[dDmMfcCu]|--(delete|move|force|copy|set-upstream.*|unset-upstream|edit-description))/,
    codes: ["git_history"]
  },
  {
    names: "git|tag",
    when: /^(-[a-zA-Z]*[dfasmF]|--(delete|force|annotate|sign|message|file))/,
    codes: ["git_history"]
  },
  { names: "git|reflog", when: /^(expire|delete)$/, codes: ["git_history"] },
  { names: "git|stash", when: /^(drop|clear)$/, codes: ["git_history"] },
  { names: "git|reset", when: /^--(hard|keep|merge)$/, codes: ["git_history", "deletes_files"] },
  {
    names: "git|checkout git|switch",
    when: /^(-f|--force|--discard-changes|-B|-C|--)$/,
    codes: ["git_history", "deletes_files"]
  },
  { names: "git|commit", when: /^--amend$/, codes: ["git_history"] },
  { names: "git|push", when: /^(-[a-zA-Z]*[fd]|--(force|mirror|delete|prune)|\+|:)/, codes: ["git_history"] },
  {
    names: "git|rebase git|filter-branch git|filter-repo git|update-ref git|replace git|gc git|prune",
    codes: ["git_history"]
  },
  {
    names: "git|push git|fetch git|pull git|clone git|ls-remote git|submodule git|send-email git|request-pull",
    codes: ["network"]
  },
  { names: "git|remote", when: /^(update|show|prune)$/, codes: ["network"] },

  {
    names:
      "curl wget ssh scp sftp rsync nc ncat netcat socat telnet ftp tftp ping ping6 dig nslookup host traceroute mtr whois aria2c http https xh ssh-copy-id sshfs gh hub glab aws gcloud az kubectl helm terraform nmap openssl rclone s3cmd mail sendmail",
    codes: ["network"]
  },
  { names: "curl wget aria2c", when: /^(-[a-zA-Z]*[oO]|--(output|remote-name))/, codes: ["writes_files"] },
  { names: "wget", codes: ["writes_files"] },
  {
    names:
      "sudo su doas pkexec runuser chroot unshare nsenter mount umount setcap chown passwd useradd userdel usermod groupadd visudo insmod rmmod modprobe sysctl iptables nft mkfs fdisk parted losetup setenforce",
    codes: ["privilege"]
  },
  { names: "chmod install", when: /^([ugoa]*\+[rwxX]*s|[2467]\d{3}$|-m ?[2467]\d{3}$)/, codes: ["privilege"] },
  { names: "mkfs fdisk parted", codes: ["deletes_files"] },
  { names: "env printenv", codes: ["secrets"] },
  { names: "gpg pass security ssh-add ssh-keygen keyctl", codes: ["secrets"] },
  {
    names:
      "kill pkill killall skill renice systemctl service launchctl shutdown reboot halt poweroff crontab at batch nohup setsid disown screen tmux start-stop-daemon systemd-run",
    codes: ["processes"]
  },
  { names: "crontab systemctl launchctl defaults update-alternatives", codes: ["settings"] },
  {
    names:
      "apt apt-get aptitude dpkg yum dnf rpm zypper pacman apk brew port snap flatpak nix nix-env nix-shell emerge choco winget pipx npx bunx uvx conda mamba corepack nvm rustup gem",
    codes: ["installs_packages"]
  },
  {
    names: "npm pnpm yarn bun",
    when: /^(i|in|install|ci|add|update|up|upgrade|remove|rm|uninstall|un|link|dlx|exec|x|create|init|dedupe|audit|rebuild|import)$/,
    codes: ["installs_packages"]
  },
  {
    names: "pip pip3 uv poetry pdm",
    when: /^(install|add|sync|uninstall|remove|update|lock|download|wheel|tool)$/,
    codes: ["installs_packages"]
  },
  { names: "python python3", when: /^-m (pip|ensurepip)$/, codes: ["installs_packages"] },
  {
    names: "cargo go bundle composer dotnet mix",
    when: /^(install|add|get|update|require|restore|remove|uninstall|fetch|deps\.get)$/,
    codes: ["installs_packages"]
  },
  {
    names: "npm pnpm yarn bun",
    when: /^(publish|login|token|adduser|whoami|view|search|outdated)$/,
    codes: ["network"]
  },
  { names: "cargo gem twine docker podman", when: /^(publish|push|pull|upload|login)$/, codes: ["network"] }
]

const byName: ReadonlyMap<string, ReadonlyArray<Row>> = rows.reduce((found, row) => {
  for (const name of row.names.split(" ")) found.set(name, [...(found.get(name) ?? []), row])
  return found
}, new Map<string, ReadonlyArray<Row>>())

const withSubcommand = new Set(["git", "npm", "pnpm", "pip", "pip3", "cargo", "go"])

/** The names by which a row may mean the command. */
const namesOf = (program: string, words: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (!withSubcommand.has(program)) return [program]
  const at = program === "git" ? gitSubcommandAt(words) : 1
  return [program, `${program}|${words[at] ?? ""}`]
}

/** Longer words are no options; so no length of a word makes a pattern slow. */
const longest = 100

const holds = ({ when }: Row, args: ReadonlyArray<string>): boolean => {
  if (when === undefined) return true
  const heads = args.map((arg) => arg.slice(0, longest))
  return heads.some((arg, at) => when.test(arg) || when.test(`${arg} ${heads[at + 1] ?? ""}`))
}

/** `words` begin with the base name of the program. */
export const codesOf = (words: ReadonlyArray<string>): ReadonlyArray<RiskCode> => {
  const [program = "", ...args] = words
  const known = namesOf(program, words).flatMap((name) => byName.get(name) ?? [])
  const codes = known.filter((row) => holds(row, args)).flatMap((row) => row.codes)
  const isKnown = known.some((row) => row.when === undefined || holds(row, args))
  return isKnown ? codes : ["runs_code"]
}
