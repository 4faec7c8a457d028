-- Selected strokes to LaTeX, by the command `inktex`: onto the clipboard, or as text beside the strokes.
-- For Xournal++ 1.2 and later: 1.1 has no function that gives a plug-in the strokes.

-- Where the command is, if a program started from the desktop does not find it by its name.
local COMMAND = os.getenv("INKTEX_COMMAND") or "inktex"
local GAP = 12 -- points between the strokes and the text
local WINDOWS = package.config:sub(1, 1) == "\\"

function initUi()
  app.registerUi({ menu = "Handwriting to LaTeX: copy", callback = "copyLatex", accelerator = "<Alt><Shift>l" })
  app.registerUi({ menu = "Handwriting to LaTeX: write beside", callback = "writeLatex", accelerator = "<Alt><Shift>b" })
end

local function tell(message, isError)
  if app.openDialog then
    app.openDialog(message, { "OK" }, "", isError)
  else
    app.msgbox(message, { "OK" })
  end
end

-- What was written with the pen and is selected; without a selection some versions raise an error, others give nothing.
local function selectedStrokes()
  if not app.getStrokes then
    error("This plug-in needs Xournal++ 1.2 or later.", 0)
  end
  local found, strokes = pcall(app.getStrokes, "selection")
  local written = {}
  for _, stroke in ipairs(found and strokes or {}) do
    if stroke.tool == "pen" and #stroke.x > 0 then
      written[#written + 1] = stroke
    end
  end
  if #written == 0 then
    error("Select what you wrote with the pen first.", 0)
  end
  return written
end

-- A number as JSON has it: with a point, whatever the language of the system is.
local function number(value)
  return (string.format("%.4f", value):gsub(",", "."))
end

local function asJson(strokes)
  local lists = {}
  for i, stroke in ipairs(strokes) do
    local points = {}
    for k, x in ipairs(stroke.x) do
      points[k] = "[" .. number(x) .. "," .. number(stroke.y[k]) .. "]"
    end
    lists[i] = "[" .. table.concat(points, ",") .. "]"
  end
  return "[" .. table.concat(lists, ",") .. "]"
end

local function temporaryName()
  local name = os.tmpname()
  -- On Windows the name may be one in the root folder.
  return WINDOWS and not name:match("^%a:") and os.getenv("TEMP") .. name or name
end

local function quoted(text)
  if WINDOWS then
    return '"' .. text .. '"'
  end
  return "'" .. text:gsub("'", "'\\''") .. "'"
end

local function contents(name)
  local file = io.open(name, "r")
  local text = file and file:read("a") or ""
  if file then
    file:close()
  end
  return (text:gsub("%s+$", ""))
end

-- What the command reads in the strokes, and what it said besides.
local function recognize(strokes, options)
  local ink, answer, complaints = temporaryName(), temporaryName(), temporaryName()
  local file = assert(io.open(ink, "w"))
  file:write(asJson(strokes))
  file:close()
  local line = quoted(COMMAND) .. " recognize " .. options .. quoted(ink) .. " >" .. quoted(answer) .. " 2>" .. quoted(complaints)
  local done = os.execute(WINDOWS and '"' .. line .. '"' or line)
  local latex, said = contents(answer), contents(complaints)
  for _, name in ipairs({ ink, answer, complaints }) do
    os.remove(name)
  end
  if not done or latex == "" then
    error("inktex could not read this.\n" .. said, 0)
  end
  return latex, said
end

local function box(strokes)
  local left, top, right, bottom = math.huge, math.huge, -math.huge, -math.huge
  for _, stroke in ipairs(strokes) do
    for k, x in ipairs(stroke.x) do
      local y = stroke.y[k]
      left, top, right, bottom = math.min(left, x), math.min(top, y), math.max(right, x), math.max(bottom, y)
    end
  end
  return left, top, right, bottom
end

-- Right of the strokes where half of the page is free there, else below them.
local function placeBeside(strokes)
  local left, top, right, bottom = box(strokes)
  local document = app.getDocumentStructure()
  local width = document.pages[document.currentPage].pageWidth
  if right + GAP < width / 2 then
    return right + GAP, top
  end
  return left, bottom + GAP
end

local function guarded(action)
  local done, problem = pcall(action)
  if not done then
    tell(problem, true)
  end
end

function copyLatex()
  guarded(function()
    local latex, said = recognize(selectedStrokes(), "--copy ")
    if said ~= "" then -- there is no clipboard program: show it, so that it can be copied from there
      tell(latex .. "\n\n" .. said, false)
    end
  end)
end

function writeLatex()
  guarded(function()
    local strokes = selectedStrokes()
    if not app.addTexts then -- Xournal++ 1.2: a plug-in cannot add text, but what is pasted becomes text
      local latex, said = recognize(strokes, "--copy ")
      if said ~= "" then
        tell(latex .. "\n\n" .. said, false)
      else
        app.uiAction({ action = "ACTION_PASTE" })
      end
      return
    end
    local latex = recognize(strokes, "")
    local x, y = placeBeside(strokes)
    app.addTexts({ texts = { { text = latex, x = x, y = y } }, allowUndoRedoAction = "grouped" })
    app.refreshPage()
  end)
end
