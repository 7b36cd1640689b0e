import { setCurrentDetails, type WorkflowInterceptors } from '@temporalio/workflow';

/** The built-in query by which the Temporal UI reads the details (TypeScript SDK, `internals.ts` of `@temporalio/workflow`). */
const metadataQuery = '__temporal_workflow_metadata';

let renderCurrent: (() => string) | undefined;

/**
 * Shows this page as the details of the workflow in the Temporal UI. It is rendered only when somebody asks for it: a page of 500 nodes takes
 * milliseconds, and a worker that takes over a run replays every change of its status within one workflow task.
 */
export function showDetails(render: () => string): void {
  renderCurrent = render;
}

/**
 * The bundle of workflows needs this module among its interceptors. Those of queries are skipped for built-in ones; an activation with queries has nothing
 * but queries (`vm-shared.ts` of `@temporalio/worker`).
 */
export function interceptors(): WorkflowInterceptors {
  return {
    internals: [
      {
        activate: (input, next) => {
          const isAsked = input.activation.jobs?.some(
            ({ queryWorkflow }) => queryWorkflow?.queryType === metadataQuery,
          );
          if (isAsked === true && renderCurrent !== undefined) setCurrentDetails(renderCurrent());
          next(input);
        },
      },
    ],
  };
}
