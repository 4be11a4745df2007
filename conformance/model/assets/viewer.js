(function () {
  "use strict";
  var pre = document.createElement("pre");
  pre.textContent = JSON.stringify(JSON.parse(document.getElementById("data").textContent), null, 1);
  document.getElementById("app").appendChild(pre);
})();
