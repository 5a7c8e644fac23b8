import { styleText } from 'node:util'
import type { SandboxDescription } from '../description.ts'
import { connectionsOf } from './connections.ts'
import { actionLines, curlLine, digLine } from './examples.ts'

type Style = Parameters<typeof styleText>[0]

/** Wider than every name. */
const nameWidth = 17

/**
 * Returns the overview that the command prints after its start.
 * @param coloured whether the terminal supports colours
 */
export function welcome(description: SandboxDescription, coloured: boolean): string {
  const { cloudflare, control } = description
  const styled = (style: Style, text: string) =>
    coloured ? styleText(style, text, { validateStream: false }) : text
  const title = (text: string) => `\n${styled('bold', text)}`
  const row = (name: string, value: string, note = '') =>
    `  ${name.padEnd(nameWidth)}${styled('cyan', value)}${note === '' ? '' : `  ${styled('dim', note)}`}`
  const json = "-H 'Content-Type: application/json'"
  const lines = [
    styled(
      'bold',
      'The Homeport sandbox is running: emulators of the services that Homeport calls, on this machine only.',
    ),
    row('home page', `${cloudflare.baseUrl}/`, 'everything below, to copy'),
    ...connectionsOf(description).flatMap(({ title: name, connections, note }) => [
      title(name),
      ...(note === undefined ? [] : [`  ${styled('dim', note)}`]),
      ...connections.map(({ name: label, value, note: about }) => row(label, value, about)),
    ]),
    title('List the record'),
    `  ${curlLine(description)}`,
    title('Query the name server'),
    `  ${digLine(description)}`,
    title('Change the address of the echoes'),
    `  curl -s -X PUT ${json} -d '{"address":"203.0.113.7"}' ${control}/echo`,
    title('Run the action once'),
    actionLines(description).replace(/^(?!http)/gm, '  '),
    title('Show the requests'),
    `  curl -s ${control}/journal`,
    `\n${styled('dim', 'Press Ctrl-C to stop. No data is kept.')}`,
  ]
  return `${lines.join('\n')}\n`
}
