import{a,b,c,d}from"./part-ZWNUUCZ6.js";export{b as InkError,d as Recognizer,a as Superseded,c as printLatex};
