/**
 * The agents that come with heddle, each a Markdown file like those of users. In a module of its own, so that the bundle
 * keeps them in a separate file that only the tool `task` loads.
 */
import explore from "./bundled/explore.md" with { type: "text" }
import plan from "./bundled/plan.md" with { type: "text" }
import quickTask from "./bundled/quick_task.md" with { type: "text" }
import reviewer from "./bundled/reviewer.md" with { type: "text" }
import task from "./bundled/task.md" with { type: "text" }

export const texts: ReadonlyArray<string> = [task, quickTask, explore, plan, reviewer]
