import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { root } from '../../tools/bundle.ts'

const run = promisify(execFile)

it('refuses an install script that nobody approved', async context => {
  const { stdout: version } = await run('npm', ['--version'])
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major < 11 || (major === 11 && minor < 16)) {
    const reason = `npm ${version.trim()} knows no strict-allow-scripts. Use 11.16 or newer.`
    process.stdout.write(`Not run: ${context.task.name}: ${reason}\n`)
    return context.skip(reason)
  }
  const folder = await mkdtemp(join(tmpdir(), 'homeport-scripts-'))
  try {
    const [unknown, app] = [join(folder, 'unknown'), join(folder, 'app')]
    await mkdir(unknown)
    await mkdir(app)
    const { allowScripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    const scripts = { postinstall: 'node -e "fs.writeFileSync(\'ran\', String())"' }
    await writeFile(
      join(unknown, 'package.json'),
      JSON.stringify({ name: 'unknown', version: '1.0.0', scripts }),
    )
    await run('npm', ['pack', '--silent'], { cwd: unknown })
    const dependencies = { unknown: 'file:../unknown/unknown-1.0.0.tgz' }
    await copyFile(join(root, '.npmrc'), join(app, '.npmrc'))
    await writeFile(
      join(app, 'package.json'),
      JSON.stringify({ name: 'app', private: true, dependencies, allowScripts }),
    )
    await expect(run('npm', ['install'], { cwd: app })).rejects.toMatchObject({
      stderr: expect.stringContaining('ESTRICTALLOWSCRIPTS'),
    })

    await run('npm', ['install', '--no-strict-allow-scripts'], { cwd: app })
    expect(await readFile(join(app, 'node_modules/unknown/ran'), 'utf8')).toBe('')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
