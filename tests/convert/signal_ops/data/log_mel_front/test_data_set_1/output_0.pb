
ByJÀu@AhãAUAz±!A”"AK!Aé¯AˆæAO˜A¢"A"EA—.$A6½#A¾#"A/Ð!A­*!A¶”Au·A"A¡Â"Av6!AL$AKÑ!A² A°5AZüAY½A?®"ACv"Aë#AzŠ!A—¢ AŠA¬‚A‰ËA¸U A¿„ A-G Aõ'!A"²AõßAªãAÀäA3A#A·í!A×#A­¡ A*A:ðAåâA¯6!AÞZ!Aa×!Aâ‚"A*!A)AJ
!AéÔ"Aõ) Aot#Aå$A¥´$AQá#A÷5"AÝ+A?ÆAF‡A­ð!Aþ A²3 A!ABd Aâ.A2UAAA-P!AdK"A7_!Aig Añ“A