// Draws each figure from the data block beside it. The data is JSON and is never run.
"use strict";
const CONFIG = {responsive: true, displaylogo: false, modeBarButtonsToRemove: ["select2d", "lasso2d"]};
for (const block of document.querySelectorAll("script[type='application/json'][data-figure]")) {
  const figure = JSON.parse(block.textContent);
  Plotly.newPlot(block.dataset.figure, figure.data, figure.layout, CONFIG);
}
addEventListener("beforeprint", () => {
  for (const plot of document.querySelectorAll(".js-plotly-plot")) Plotly.Plots.resize(plot);
});
