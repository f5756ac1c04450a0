// Many widgets, one message: the new states of all of them, by model id. set_state is what the
// widget manager itself calls for an update from the kernel.

function initialize({ model }) {
  model.on("msg:custom", async ({ states }) => {
    if (!states) return;
    const found = await Promise.all(
      Object.keys(states).map((id) => model.widget_manager.get_model(id).catch(() => null)),
    );
    Object.values(states).forEach((state, i) => {
      if (found[i]) found[i].set_state(state);
    });
  });
}

export default { initialize, render() {} };
