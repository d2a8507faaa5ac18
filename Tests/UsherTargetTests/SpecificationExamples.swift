import Testing
import UsherTarget

/// Every example of RFC 6570, by the section it stands in.
struct SpecificationExample: Sendable, CustomTestStringConvertible {
    let section: String
    let template: String
    let expansion: String
    var testDescription: String { "\(section) \(template)" }

    /// The variables of section 3.2, and those that only other sections have.
    static let variables: [String: TemplateValue] = [
        "count": ["one", "two", "three"],
        "dom": ["example", "com"],
        "dub": "me/too",
        "hello": "Hello World!",
        "half": "50%",
        "var": "value",
        "who": "fred",
        "base": "http://example.com/home/",
        "path": "/foo/bar",
        "list": ["red", "green", "blue"],
        "keys": ["semi": ";", "dot": ".", "comma": ","],
        "v": "6",
        "x": "1024",
        "y": "768",
        "empty": "",
        "empty_keys": .associative([]),
        "undef": .undefined,
        "semi": ";",
        "year": ["1965", "2000", "2012"],
        "address": ["city": "Newport Beach", "state": "CA"],
        "username": "mark",
        "term": "cat",
        "q": "chien",
        "lang": "fr",
        "query": "mycelium",
        "number": "100",
    ]

    static let all: [SpecificationExample] = table.split(separator: "\n").reduce(into: []) { examples, line in
        if line.hasPrefix("#") { return }
        let columns = line.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
        examples.append(
            SpecificationExample(
                section: columns[0], template: columns[1], expansion: columns.count > 2 ? columns[2] : ""))
    }

    private static let table = """
        # Section, template, expansion (none: empty)
        1.1 http://example.com/~{username}/ http://example.com/~mark/
        1.1 http://example.com/dictionary/{term:1}/{term} http://example.com/dictionary/c/cat
        1.1 http://example.com/search{?q,lang} http://example.com/search?q=chien&lang=fr
        1.1 http://www.example.com/foo{?query,number} http://www.example.com/foo?query=mycelium&number=100
        1.1 http://www.example.com/foo{?undef,number} http://www.example.com/foo?number=100
        1.1 http://www.example.com/foo{?undef,nothing} http://www.example.com/foo
        # Level 1
        1.2 {var} value
        1.2 '{var}' 'value'
        1.2 {hello} Hello%20World%21
        # Level 2
        1.2 {+var} value
        1.2 {+hello} Hello%20World!
        1.2 {+path}/here /foo/bar/here
        1.2 here?ref={+path} here?ref=/foo/bar
        1.2 X{#var} X#value
        1.2 X{#hello} X#Hello%20World!
        # Level 3
        1.2 map?{x,y} map?1024,768
        1.2 {x,hello,y} 1024,Hello%20World%21,768
        1.2 {+x,hello,y} 1024,Hello%20World!,768
        1.2 {+path,x}/here /foo/bar,1024/here
        1.2 {#x,hello,y} #1024,Hello%20World!,768
        1.2 {#path,x}/here #/foo/bar,1024/here
        1.2 X{.var} X.value
        1.2 X{.x,y} X.1024.768
        1.2 {/var} /value
        1.2 {/var,x}/here /value/1024/here
        1.2 {;x,y} ;x=1024;y=768
        1.2 {;x,y,empty} ;x=1024;y=768;empty
        1.2 {?x,y} ?x=1024&y=768
        1.2 {?x,y,empty} ?x=1024&y=768&empty=
        1.2 ?fixed=yes{&x} ?fixed=yes&x=1024
        1.2 {&x,y,empty} &x=1024&y=768&empty=
        # Level 4 is repeated under its operators below
        2.4.1 {var} value
        2.4.1 {var:20} value
        2.4.1 {var:3} val
        2.4.1 {semi} %3B
        2.4.1 {semi:2} %3B
        2.4.2 /mapper{?address*} /mapper?city=Newport%20Beach&state=CA
        2.4.2 find{?year*} find?year=1965&year=2000&year=2012
        2.4.2 www{.dom*} www.example.com
        3.2.1 {count} one,two,three
        3.2.1 {count*} one,two,three
        3.2.1 {/count} /one,two,three
        3.2.1 {/count*} /one/two/three
        3.2.1 {;count} ;count=one,two,three
        3.2.1 {;count*} ;count=one;count=two;count=three
        3.2.1 {?count} ?count=one,two,three
        3.2.1 {?count*} ?count=one&count=two&count=three
        3.2.1 {&count*} &count=one&count=two&count=three
        3.2.2 {var} value
        3.2.2 {hello} Hello%20World%21
        3.2.2 {half} 50%25
        3.2.2 O{empty}X OX
        3.2.2 O{undef}X OX
        3.2.2 {x,y} 1024,768
        3.2.2 {x,hello,y} 1024,Hello%20World%21,768
        3.2.2 ?{x,empty} ?1024,
        3.2.2 ?{x,undef} ?1024
        3.2.2 ?{undef,y} ?768
        3.2.2 {var:3} val
        3.2.2 {var:30} value
        3.2.2 {list} red,green,blue
        3.2.2 {list*} red,green,blue
        3.2.2 {keys} semi,%3B,dot,.,comma,%2C
        3.2.2 {keys*} semi=%3B,dot=.,comma=%2C
        3.2.3 {+var} value
        3.2.3 {+hello} Hello%20World!
        3.2.3 {+half} 50%25
        3.2.3 {base}index http%3A%2F%2Fexample.com%2Fhome%2Findex
        3.2.3 {+base}index http://example.com/home/index
        3.2.3 O{+empty}X OX
        3.2.3 O{+undef}X OX
        3.2.3 {+path}/here /foo/bar/here
        3.2.3 here?ref={+path} here?ref=/foo/bar
        3.2.3 up{+path}{var}/here up/foo/barvalue/here
        3.2.3 {+x,hello,y} 1024,Hello%20World!,768
        3.2.3 {+path,x}/here /foo/bar,1024/here
        3.2.3 {+path:6}/here /foo/b/here
        3.2.3 {+list} red,green,blue
        3.2.3 {+list*} red,green,blue
        3.2.3 {+keys} semi,;,dot,.,comma,,
        3.2.3 {+keys*} semi=;,dot=.,comma=,
        3.2.4 {#var} #value
        3.2.4 {#hello} #Hello%20World!
        3.2.4 {#half} #50%25
        3.2.4 foo{#empty} foo#
        3.2.4 foo{#undef} foo
        3.2.4 {#x,hello,y} #1024,Hello%20World!,768
        3.2.4 {#path,x}/here #/foo/bar,1024/here
        3.2.4 {#path:6}/here #/foo/b/here
        3.2.4 {#list} #red,green,blue
        3.2.4 {#list*} #red,green,blue
        3.2.4 {#keys} #semi,;,dot,.,comma,,
        3.2.4 {#keys*} #semi=;,dot=.,comma=,
        3.2.5 {.who} .fred
        3.2.5 {.who,who} .fred.fred
        3.2.5 {.half,who} .50%25.fred
        3.2.5 www{.dom*} www.example.com
        3.2.5 X{.var} X.value
        3.2.5 X{.empty} X.
        3.2.5 X{.undef} X
        3.2.5 X{.var:3} X.val
        3.2.5 X{.list} X.red,green,blue
        3.2.5 X{.list*} X.red.green.blue
        3.2.5 X{.keys} X.semi,%3B,dot,.,comma,%2C
        3.2.5 X{.keys*} X.semi=%3B.dot=..comma=%2C
        3.2.5 X{.empty_keys} X
        3.2.5 X{.empty_keys*} X
        3.2.6 {/who} /fred
        3.2.6 {/who,who} /fred/fred
        3.2.6 {/half,who} /50%25/fred
        3.2.6 {/who,dub} /fred/me%2Ftoo
        3.2.6 {/var} /value
        3.2.6 {/var,empty} /value/
        3.2.6 {/var,undef} /value
        3.2.6 {/var,x}/here /value/1024/here
        3.2.6 {/var:1,var} /v/value
        3.2.6 {/list} /red,green,blue
        3.2.6 {/list*} /red/green/blue
        3.2.6 {/list*,path:4} /red/green/blue/%2Ffoo
        3.2.6 {/keys} /semi,%3B,dot,.,comma,%2C
        3.2.6 {/keys*} /semi=%3B/dot=./comma=%2C
        3.2.7 {;who} ;who=fred
        3.2.7 {;half} ;half=50%25
        3.2.7 {;empty} ;empty
        3.2.7 {;v,empty,who} ;v=6;empty;who=fred
        3.2.7 {;v,bar,who} ;v=6;who=fred
        3.2.7 {;x,y} ;x=1024;y=768
        3.2.7 {;x,y,empty} ;x=1024;y=768;empty
        3.2.7 {;x,y,undef} ;x=1024;y=768
        3.2.7 {;hello:5} ;hello=Hello
        3.2.7 {;list} ;list=red,green,blue
        3.2.7 {;list*} ;list=red;list=green;list=blue
        3.2.7 {;keys} ;keys=semi,%3B,dot,.,comma,%2C
        3.2.7 {;keys*} ;semi=%3B;dot=.;comma=%2C
        3.2.8 {?who} ?who=fred
        3.2.8 {?half} ?half=50%25
        3.2.8 {?x,y} ?x=1024&y=768
        3.2.8 {?x,y,empty} ?x=1024&y=768&empty=
        3.2.8 {?x,y,undef} ?x=1024&y=768
        3.2.8 {?var:3} ?var=val
        3.2.8 {?list} ?list=red,green,blue
        3.2.8 {?list*} ?list=red&list=green&list=blue
        3.2.8 {?keys} ?keys=semi,%3B,dot,.,comma,%2C
        3.2.8 {?keys*} ?semi=%3B&dot=.&comma=%2C
        3.2.9 {&who} &who=fred
        3.2.9 {&half} &half=50%25
        3.2.9 ?fixed=yes{&x} ?fixed=yes&x=1024
        3.2.9 {&x,y,empty} &x=1024&y=768&empty=
        3.2.9 {&x,y,undef} &x=1024&y=768
        3.2.9 {&var:3} &var=val
        3.2.9 {&list} &list=red,green,blue
        3.2.9 {&list*} &list=red&list=green&list=blue
        3.2.9 {&keys} &keys=semi,%3B,dot,.,comma,%2C
        3.2.9 {&keys*} &semi=%3B&dot=.&comma=%2C
        """
}
