import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { root } from '../../tools/bundle.ts'

/** Runs `npm run demo -- …`. Calls `whenPrinted` with the output so far and a function that interrupts the demo. */
export async function demo(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  whenPrinted: (output: string, interrupt: () => void) => void = () => {},
) {
  const child = spawn(process.execPath, ['demo/demo.ts', ...args], {
    cwd: root,
    env: { PATH: process.env['PATH'], ...env },
  })
  let [output, problem] = ['', '']
  child.stdout.setEncoding('utf8').on('data', chunk => {
    output += chunk
    whenPrinted(output, () => child.kill('SIGINT'))
  })
  child.stderr.setEncoding('utf8').on('data', chunk => {
    problem += chunk
  })
  const [status] = (await once(child, 'close')) as [number | null]
  return { status, output, problem }
}
