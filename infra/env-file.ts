/**
 * Says why systemd's EnvironmentFile, a container's env file and a POSIX shell would not all read `NAME=value` as this
 * value, unquoted; null if they do. Quotes help nowhere: systemd and shells remove them, and env files of containers keep them.
 * Sources: systemd.exec(5); docker run --env-file; POSIX, Shell Command Language, 2.2, 2.3, 2.6.1 and 2.9.1.
 */
export function whyReadersDiffer(value: string): string | null {
  const found = rules.find(([pattern]) => pattern.test(value))
  return found?.[1] ?? null
}

const rules: readonly (readonly [RegExp, string])[] = [
  [/[\r\n]/, 'a line break'],
  [/[\p{Z}\t]/u, 'a space'],
  [/['"`]/, 'a quotation mark'],
  [/\\/, 'a backslash'],
  [/\$/, 'a dollar sign'],
  [/[&;|<>()]/, 'one of & ; | < > ( )'],
  // Compose and Node's own reader of such files end the value there.
  [/#/, 'the sign #'],
  // A shell puts a home directory there: at the beginning, and after a colon.
  [/(^|:)~/, 'the sign ~ at the beginning or after a colon'],
  // Control and format characters, lone surrogates, and what no standard gives a meaning.
  [/\p{C}/u, 'a control character'],
]

/** Returns the text of such a file. No value may have a reason of `whyReadersDiffer`. @param comment one line */
export function formatEnvFile(comment: string, values: readonly (readonly [string, string])[]): string {
  return [`# ${comment}`, ...values.map(([name, value]) => `${name}=${value}`), ''].join('\n')
}

/** Returns the values of such a file by name. Ignores comments, and everything else that is no assignment. */
export function parseEnvFile(text: string): ReadonlyMap<string, string> {
  return new Map([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]))
}
