// Replaces @actions/exec in the action's bundle. @actions/core needs it only for platform.getDetails(), which Homeport
// never calls. Without the real package the bundle is a fifth smaller and cannot start a process.
export function getExecOutput() {
  return Promise.reject(new Error('@actions/exec is not part of this bundle, so it cannot start a process'))
}
