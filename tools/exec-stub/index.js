// Stands in for @actions/exec in the action's bundle. @actions/core needs it for platform.getDetails() only, which
// Homeport never calls. Without the real package the bundle is a fifth smaller and cannot start a process.
export function getExecOutput() {
  return Promise.reject(new Error('@actions/exec is not part of this bundle: no process can be started here'))
}
