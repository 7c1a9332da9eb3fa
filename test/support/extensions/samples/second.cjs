/** CommonJS, with an asynchronous factory. */
module.exports = async (pi) => {
  await Promise.resolve()
  pi.on("session_start", (event, ctx) => ctx.ui.notify(`second ${event.reason}`))
}
