import type { Printer } from './printer.ts'

/**
 * Prints for people and for system journals. Each line starts with the time, and then `error:` or `warning:` if it is one.
 * With `json`, stdout contains one object per round and nothing else, and the lines go to stderr.
 */
export function terminalPrinter(json: boolean): Printer {
  const lines = json ? process.stderr : process.stdout
  function print(text: string): void {
    const time = new Date().toISOString().replace(/\.\d+Z$/, 'Z')
    for (const line of text.split('\n')) lines.write(`${time} ${line}\n`)
  }
  return {
    publishesRounds: true,
    // Nothing reads commands here: a mask command would print the secret.
    secret: () => {},
    line: print,
    warning: text => print(`warning: ${text}`),
    error: text => print(`error: ${text}`),
    publish(outputs) {
      if (json) process.stdout.write(`${JSON.stringify(roundObject(outputs))}\n`)
      return true
    },
  }
}

/** Returns the time and the outputs, with lists, numbers and booleans instead of strings. */
function roundObject(outputs: Readonly<Record<string, string>>): object {
  return {
    time: new Date().toISOString(),
    ...outputs,
    changed: outputs['changed'] === 'true',
    drift: JSON.parse(outputs['drift'] ?? '[]'),
    requests: Number(outputs['requests']),
    records: JSON.parse(outputs['records'] ?? '[]'),
  }
}
