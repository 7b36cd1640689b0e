/**
 * Loaded into every process and thread of the workflow tests before anything else. The SDK takes a stack trace, with its source map, for
 * every promise that a workflow makes, so that `temporal workflow stack` can show where it waits (@temporalio/worker 1.24,
 * lib/workflow/vm-shared.js, setPromiseHook). No test asks for that, and it takes a fifth of the time of workflows.
 */
import v8 from 'node:v8';

v8.promiseHooks.createHook = () => () => undefined;
